//! What an agent may spend: charges as the server last told them, plus what has come back since.

use std::time::Duration;

use tokio::time::Instant;

use crate::{client::Answer, wire::Me};

#[derive(Default)]
pub struct Purse {
    charges: u32,
    max: u32,
    regen: Duration,
    next_at: Option<Instant>,
}

impl Purse {
    pub fn learn(&mut self, me: &Answer<Me>) {
        self.max = me.body.max_charges;
        self.regen = Duration::try_from_secs_f64(me.body.charge_regen_seconds).unwrap_or_default();
        self.set(me.body.charges, me.body.next_charge_at.map(|at| me.received + me.until(at)));
    }

    pub fn set(&mut self, charges: u32, next_at: Option<Instant>) {
        self.charges = charges;
        self.next_at = next_at;
    }

    /// The server says there is nothing before that moment.
    pub fn emptied(&mut self, until: Instant) {
        self.set(0, Some(until));
    }

    pub fn available(&self, now: Instant) -> u32 {
        let since = self.next_at.and_then(|at| now.checked_duration_since(at));
        let gained = match since {
            None => 0,
            Some(_) if self.regen.is_zero() => self.max,
            Some(since) => 1 + u32::try_from(since.as_nanos() / self.regen.as_nanos()).unwrap_or(self.max),
        };
        self.charges.saturating_add(gained).min(self.max)
    }

    /// How long until there is a charge.
    pub fn wait(&self, now: Instant) -> Duration {
        match self.next_at {
            _ if self.available(now) > 0 => Duration::ZERO,
            Some(at) => at.saturating_duration_since(now),
            None => self.regen,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn purse(charges: u32, next_at: Option<Instant>) -> Purse {
        Purse { charges, max: 10, regen: 60 * SECOND, next_at }
    }

    #[test]
    fn charges_come_back_one_by_one_up_to_the_cap() {
        let now = Instant::now();
        let purse = purse(2, Some(now + 30 * SECOND));
        assert_eq!(purse.available(now), 2);
        assert_eq!(purse.available(now + 30 * SECOND), 3);
        assert_eq!(purse.available(now + 89 * SECOND), 3);
        assert_eq!(purse.available(now + 90 * SECOND), 4);
        assert_eq!(purse.available(now + 9_000 * SECOND), 10);
    }

    #[test]
    fn empty_quota_waits_for_the_next_charge() {
        let now = Instant::now();
        let mut purse = purse(1, Some(now + 5 * SECOND));
        assert_eq!(purse.wait(now), Duration::ZERO);
        purse.emptied(now + 7 * SECOND);
        assert_eq!(purse.wait(now), 7 * SECOND);
        assert_eq!(purse.wait(now + 7 * SECOND), Duration::ZERO);
    }

    #[test]
    fn zero_charge_interval_refills_at_once() {
        let now = Instant::now();
        let mut purse = Purse { charges: 0, max: 10, regen: Duration::ZERO, next_at: Some(now) };
        assert_eq!(purse.available(now), 10);
        purse.set(10, None);
        assert_eq!(purse.available(now), 10);
    }
}
