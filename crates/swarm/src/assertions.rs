//! Checks of the response to a placement.

use crate::api_types::{PixelInput, PlacementResponse};

/// Returns the fault unless the response has the requested pixels, in order and with consecutive numbers.
pub fn find_violation(pixels: &[PixelInput], response: &PlacementResponse) -> Option<String> {
    let expected = pixels.iter().map(|d| (d.x, d.y, d.color));
    if !response.placements().map(|p| (p.x, p.y, p.color)).eq(expected) {
        return Some(format!("the response to {} pixels has other pixels", pixels.len()));
    }
    let seqs: Vec<u64> = response.placements().map(|p| p.seq).collect();
    let gap = seqs.windows(2).find(|pair| matches!(pair, [a, b] if a + 1 != *b))?;
    Some(format!("the numbers of one batch are not consecutive: {gap:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api_types::Placement;

    fn response_with(seqs: &[u64]) -> PlacementResponse {
        let pixel = |(x, seq): (u32, &u64)| Placement { x, y: 0, color: 1, seq: *seq };
        let pixels = (0..).zip(seqs).map(pixel).collect();
        PlacementResponse { pixel: None, pixels, charges: 0, next_charge_at: None, chat_credits: 0 }
    }

    #[test]
    fn response_must_match_its_request() {
        let pixels: Vec<PixelInput> =
            (0..3).map(|x| PixelInput { x, y: 0, color: 1, expected_color: None }).collect();
        assert_eq!(find_violation(&pixels, &response_with(&[5, 6, 7])), None);
        assert!(find_violation(&pixels, &response_with(&[5, 6, 8])).unwrap().contains("[6, 8]"));
        assert!(find_violation(&pixels, &response_with(&[5, 6])).is_some());
    }
}
