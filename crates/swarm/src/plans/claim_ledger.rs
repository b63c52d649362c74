//! The agents' claims, to detect a pixel that is offered to two agents at once.

use std::collections::HashMap;

use tokio::time::Instant;

use crate::api_types::PixelInput;

/// The claimed pixels by point.
#[derive(Default)]
pub struct ClaimLedger {
    claims: HashMap<(u32, u32), Claim>,
}

struct Claim {
    agent: usize,
    expires_at: Instant,
}

impl ClaimLedger {
    /// Removes the claims of an agent. This happens before its next request, because the server replaces them
    /// at an unknown time before the response.
    pub fn release(&mut self, agent: usize) {
        self.claims.retain(|_, claim| claim.agent != agent);
    }

    /// Records a claim. Returns the pixels that another agent has claimed and whose claims have not expired.
    pub fn record(
        &mut self,
        agent: usize,
        pixels: &[PixelInput],
        now: Instant,
        expires_at: Instant,
    ) -> Vec<(u32, u32)> {
        let mut overlaps = Vec::new();
        for pixel in pixels {
            let point = (pixel.x, pixel.y);
            let previous = self.claims.insert(point, Claim { agent, expires_at });
            if previous.is_some_and(|claim| claim.agent != agent && claim.expires_at > now) {
                overlaps.push(point);
            }
        }
        overlaps
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn pixel_of_two_live_claims_is_reported() {
        let (now, minute) = (Instant::now(), Duration::from_mins(1));
        let pixels = [4, 5].map(|x| PixelInput { x, y: 0, color: 1, expected_color: Some(0) });
        let mut ledger = ClaimLedger::default();
        assert!(ledger.record(0, &pixels, now, now + minute).is_empty());
        assert_eq!(ledger.record(1, &pixels[1..], now, now + minute), [(5, 0)]);
        ledger.release(0);
        assert!(ledger.record(2, &pixels[..1], now, now + minute).is_empty(), "released");
        assert!(ledger.record(3, &pixels[..1], now + minute, now + 2 * minute).is_empty(), "expired");
    }
}
