//! Charges, stored as one timestamp: the time at which all of them are available again. Reactions are limited
//! in the same way.

use chrono::{DateTime, TimeDelta, Utc};

use crate::wait::plausible_wait;

/// The most reactions that an agent may add or remove at once; one comes back every 60 s divided by this
/// number.
pub const REACTIONS_PER_MINUTE: u32 = 10;

/// The maximum number of charges, and the time in which one comes back.
#[derive(Clone, Copy, Debug)]
pub struct Allowance {
    max: i64,
    interval: TimeDelta,
}

impl Allowance {
    /// Returns an allowance in which one charge comes back per `interval`. With zero, all charges are always
    /// available.
    pub fn new(max: u32, interval: TimeDelta) -> Self {
        Self { max: max.into(), interval }
    }

    /// Returns an allowance in which all charges come back within a duration, one after the other.
    pub fn within(duration: TimeDelta, max: u32) -> Self {
        Self::new(max, duration / i32::try_from(max.max(1)).unwrap_or(i32::MAX))
    }

    /// Returns the maximum number of charges.
    pub fn max(self) -> i64 {
        self.max
    }

    /// Returns the time from no charges to all.
    pub fn full_recharge_time(self) -> TimeDelta {
        self.intervals(self.max)
    }

    /// Returns the number of charges that can be spent within a duration that begins with all of them; `None`
    /// if there is no limit.
    pub fn spendable_within(self, duration: TimeDelta) -> Option<i64> {
        intervals_in(duration, self.interval).map(|returned| self.max.saturating_add(returned))
    }

    /// Returns the number of charges available at `now`.
    pub fn available(self, full_at: DateTime<Utc>, now: DateTime<Utc>) -> i64 {
        self.max - self.missing(full_at, now)
    }

    /// Returns the new `full_at` after `count` charges are spent; `None` if too few are available.
    pub fn spend(self, full_at: DateTime<Utc>, now: DateTime<Utc>, count: i64) -> Option<DateTime<Utc>> {
        let full_at = self.plausible(full_at, now);
        let spent = || full_at.checked_add_signed(self.intervals(count));
        (count <= self.available(full_at, now)).then(spent).flatten()
    }

    /// Returns the new `full_at` after one charge is spent.
    ///
    /// # Errors
    /// The time until a charge is available.
    pub fn spend_one(self, full_at: DateTime<Utc>, now: DateTime<Utc>) -> Result<DateTime<Utc>, TimeDelta> {
        self.spend(full_at, now, 1).ok_or_else(|| self.wait_for(full_at, now, 1))
    }

    /// Returns the time of the next charge after `now`; `None` if all are available.
    pub fn next_charge_at(self, full_at: DateTime<Utc>, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let missing = self.missing(full_at, now);
        (missing > 0).then(|| full_at.checked_sub_signed(self.intervals(missing - 1))).flatten()
    }

    /// Returns the time until `count` charges can have been spent, including those available now. `count` may
    /// exceed the maximum: charges come back while others are spent.
    pub fn wait_for(self, full_at: DateTime<Utc>, now: DateTime<Utc>, count: i64) -> TimeDelta {
        if count <= self.available(full_at, now) {
            return TimeDelta::zero();
        }
        let ready_at = self.plausible(full_at, now).checked_add_signed(self.intervals(count - self.max));
        ready_at.map_or(TimeDelta::MAX, |at| at - now)
    }

    /// Returns `full_at`; `now` if that has passed, or if `full_at` is later than spending can have made it
    /// (see [`plausible_wait`]).
    fn plausible(self, full_at: DateTime<Utc>, now: DateTime<Utc>) -> DateTime<Utc> {
        now + plausible_wait(full_at, now, self.full_recharge_time())
    }

    /// Returns the number of missing charges, at most all. A clock that lags does not make them more.
    fn missing(self, full_at: DateTime<Utc>, now: DateTime<Utc>) -> i64 {
        let full_at = self.plausible(full_at, now);
        let interval_micros = self.interval.num_microseconds().unwrap_or(i64::MAX);
        let remaining_micros = (full_at - now).num_microseconds().unwrap_or(i64::MAX);
        if interval_micros == 0 || remaining_micros <= 0 {
            return 0;
        }
        ((remaining_micros - 1) / interval_micros + 1).min(self.max)
    }

    fn intervals(self, count: i64) -> TimeDelta {
        let interval_micros = self.interval.num_microseconds().unwrap_or(i64::MAX);
        TimeDelta::microseconds(interval_micros.saturating_mul(count))
    }
}

/// Returns how often an interval fits into a duration; `None` if the interval is zero.
pub(crate) fn intervals_in(duration: TimeDelta, interval: TimeDelta) -> Option<i64> {
    let micros = |delta: TimeDelta| delta.num_microseconds().unwrap_or(i64::MAX);
    micros(duration).checked_div(micros(interval))
}

/// Returns the allowance of reactions: all of a minute at once, or one by one as they come back.
pub fn reaction_allowance() -> Allowance {
    Allowance::within(TimeDelta::minutes(1), REACTIONS_PER_MINUTE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_000_000 + seconds, 0).unwrap()
    }

    fn ten_charges_one_per_minute() -> Allowance {
        Allowance::new(10, TimeDelta::seconds(60))
    }

    #[test]
    fn a_spent_charge_comes_back_after_its_interval() {
        let rule = ten_charges_one_per_minute();
        let full_at = rule.spend(at(0), at(0), 1).unwrap();
        assert_eq!(rule.available(full_at, at(0)), 9);
        assert_eq!(rule.next_charge_at(full_at, at(0)), Some(at(60)));
        assert_eq!(rule.available(full_at, at(59)), 9);
        assert_eq!(rule.available(full_at, at(60)), 10);
        assert_eq!(rule.next_charge_at(full_at, at(60)), None);
    }

    #[test]
    fn an_allowance_has_a_maximum_and_a_full_recharge_time() {
        let rule = ten_charges_one_per_minute();
        assert_eq!((rule.max(), rule.full_recharge_time()), (10, TimeDelta::minutes(10)));
    }

    #[test]
    fn fractions_are_not_lost() {
        let rule = ten_charges_one_per_minute();
        let full_at = rule.spend(at(0), at(0), 10).unwrap();
        let full_at = rule.spend(full_at, at(90), 1).unwrap();
        assert_eq!(rule.available(full_at, at(119)), 0);
        assert_eq!(rule.available(full_at, at(120)), 1);
    }

    #[test]
    fn more_than_available_cannot_be_spent() {
        let rule = ten_charges_one_per_minute();
        assert_eq!(rule.spend(at(0), at(0), 11), None);
        let full_at = rule.spend(at(0), at(0), 10).unwrap();
        assert_eq!(rule.spend(full_at, at(59), 1), None);
        assert!(rule.spend(full_at, at(60), 1).is_some());
    }

    #[test]
    fn a_time_that_spending_cannot_have_set_means_all_charges() {
        let rule = ten_charges_one_per_minute();
        assert_eq!(rule.available(at(600), at(0)), 0, "all were spent at once");
        for full_at in [at(611), at(3_600)] {
            assert_eq!((rule.available(full_at, at(0)), rule.next_charge_at(full_at, at(0))), (10, None));
            assert_eq!(rule.wait_for(full_at, at(0), 10), TimeDelta::zero());
            assert_eq!(rule.spend(full_at, at(0), 1), Some(at(60)));
        }
    }

    #[test]
    fn a_wait_counts_available_and_missing_charges() {
        let rule = ten_charges_one_per_minute();
        let full_at = rule.spend(at(0), at(0), 8).unwrap();
        assert_eq!(rule.wait_for(full_at, at(0), 2), TimeDelta::zero());
        assert_eq!(rule.wait_for(full_at, at(0), 5), TimeDelta::seconds(180));
        assert_eq!(rule.wait_for(at(0), at(0), 12), TimeDelta::seconds(120));
    }

    #[test]
    fn a_wait_of_a_million_years_does_not_panic() {
        let rule = Allowance::new(1, TimeDelta::seconds(31_536_000));
        let full_at = rule.spend(at(0), at(0), 1).unwrap();
        assert!(rule.wait_for(full_at, at(0), 1_000_000) > TimeDelta::days(300_000_000));
    }

    #[test]
    fn without_an_interval_charges_never_run_out() {
        let rule = Allowance::new(3, TimeDelta::zero());
        let full_at = rule.spend(at(0), at(0), 3).unwrap();
        assert_eq!(rule.available(full_at, at(0)), 3);
        assert_eq!(rule.spend(full_at, at(0), 4), None);
    }

    #[test]
    fn a_reader_whose_clock_lags_sees_no_charges_after_all_are_spent() {
        let rule = ten_charges_one_per_minute();
        let full_at = rule.spend(at(5), at(5), 10).unwrap();
        assert_eq!((rule.available(full_at, at(0)), rule.next_charge_at(full_at, at(0))), (0, Some(at(65))));
        assert_eq!(rule.wait_for(full_at, at(0), 1), TimeDelta::seconds(65));
        assert_eq!(rule.spend(full_at, at(0), 1), None);
    }

    proptest! {
        #[test]
        fn spending_takes_exactly_the_given_count(
            max in 1u32..200, every in 1i64..500, gap in 0i64..9_000, count in 1i64..200,
        ) {
            let rule = Allowance::new(max, TimeDelta::seconds(every));
            let full_at = at(gap.min(every * i64::from(max)));
            let before = rule.available(full_at, at(0));
            match rule.spend(full_at, at(0), count) {
                Some(after) => prop_assert_eq!(rule.available(after, at(0)), before - count),
                None => prop_assert!(count > before),
            }
        }
    }
}
