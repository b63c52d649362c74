//! An agent's charges: the number in the last response plus those that have come back since.

use std::time::Duration;

use tokio::time::Instant;

use crate::{api_types::Me, client::ApiResponse};

/// The charges of an agent.
#[derive(Default)]
pub struct Quota {
    charges: u32,
    max_charges: u32,
    charge_interval: Duration,
    next_charge_at: Option<Instant>,
}

impl Quota {
    /// Stores the charges of an account response.
    pub fn update_from_profile(&mut self, me: &ApiResponse<Me>) {
        self.max_charges = me.body.max_charges;
        self.charge_interval = Duration::try_from_secs_f64(me.body.charge_regen_seconds).unwrap_or_default();
        self.set(me.body.charges, me.body.next_charge_at.map(|at| me.instant_at(at)));
    }

    /// Stores the charges of a placement response.
    pub fn set(&mut self, charges: u32, next_charge_at: Option<Instant>) {
        self.charges = charges;
        self.next_charge_at = next_charge_at;
    }

    /// Records that no charge is available before this time.
    pub fn set_empty_until(&mut self, until: Instant) {
        self.set(0, Some(until));
    }

    /// Returns the number of available charges.
    pub fn available_charges(&self, now: Instant) -> u32 {
        let elapsed = self.next_charge_at.and_then(|at| now.checked_duration_since(at));
        let regained = match elapsed {
            None => 0,
            Some(_) if self.charge_interval.is_zero() => self.max_charges,
            Some(since) => {
                1 + u32::try_from(since.as_nanos() / self.charge_interval.as_nanos())
                    .unwrap_or(self.max_charges)
            }
        };
        self.charges.saturating_add(regained).min(self.max_charges)
    }

    /// Returns the time until a charge is available.
    pub fn time_until_charge(&self, now: Instant) -> Duration {
        match self.next_charge_at {
            _ if self.available_charges(now) > 0 => Duration::ZERO,
            Some(at) => at.saturating_duration_since(now),
            None => self.charge_interval,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn quota_with(charges: u32, next_charge_at: Option<Instant>) -> Quota {
        Quota { charges, max_charges: 10, charge_interval: 60 * SECOND, next_charge_at }
    }

    #[test]
    fn charges_come_back_one_by_one_up_to_the_cap() {
        let now = Instant::now();
        let quota = quota_with(2, Some(now + 30 * SECOND));
        assert_eq!(quota.available_charges(now), 2);
        assert_eq!(quota.available_charges(now + 30 * SECOND), 3);
        assert_eq!(quota.available_charges(now + 89 * SECOND), 3);
        assert_eq!(quota.available_charges(now + 90 * SECOND), 4);
        assert_eq!(quota.available_charges(now + 9_000 * SECOND), 10);
    }

    #[test]
    fn empty_quota_waits_for_the_next_charge() {
        let now = Instant::now();
        let mut quota = quota_with(1, Some(now + 5 * SECOND));
        assert_eq!(quota.time_until_charge(now), Duration::ZERO);
        quota.set_empty_until(now + 7 * SECOND);
        assert_eq!(quota.time_until_charge(now), 7 * SECOND);
        assert_eq!(quota.time_until_charge(now + 7 * SECOND), Duration::ZERO);
    }

    #[test]
    fn zero_charge_interval_refills_at_once() {
        let now = Instant::now();
        let mut quota =
            Quota { charges: 0, max_charges: 10, charge_interval: Duration::ZERO, next_charge_at: Some(now) };
        assert_eq!(quota.available_charges(now), 10);
        quota.set(10, None);
        assert_eq!(quota.available_charges(now), 10);
    }
}
