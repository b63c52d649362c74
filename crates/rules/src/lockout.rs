//! Locks against guessing: some wrong attempts are free, then each doubles the wait before the next one.

use chrono::{DateTime, TimeDelta, Utc};

/// The limits for wrong attempts.
#[derive(Clone, Copy, Debug)]
pub struct LockoutPolicy {
    /// Number of wrong attempts without a wait.
    pub free_attempts: i32,
    /// Wait after the first attempt beyond the free ones. It doubles with each further one.
    pub first_wait: TimeDelta,
}

/// The longest wait before an attempt.
pub const MAX_WAIT: TimeDelta = TimeDelta::minutes(15);
/// Time without attempts after which the count starts again.
const RESET_AFTER: TimeDelta = TimeDelta::hours(1);

/// The count of wrong attempts so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttemptCounter {
    /// Number of wrong attempts.
    pub wrong: i32,
    /// The time of the last attempt.
    pub last_at: DateTime<Utc>,
    /// The time until which attempts are refused.
    pub locked_until: DateTime<Utc>,
}

impl AttemptCounter {
    /// Returns a tally without attempts.
    pub fn new(now: DateTime<Utc>) -> Self {
        Self { wrong: 0, last_at: now, locked_until: now }
    }

    /// Returns the tally with one more attempt, which counts as wrong until it succeeds, so that simultaneous
    /// attempts are limited, too.
    ///
    /// # Errors
    /// The time until the next attempt is allowed, if the tally is locked.
    pub fn with_attempt(&self, policy: LockoutPolicy, now: DateTime<Utc>) -> Result<Self, TimeDelta> {
        // Free attempts lock nothing: a simultaneous one may have set this time by a slightly later clock.
        let is_locked = policy.wait_after(self.wrong).is_some() && self.locked_until > now;
        if is_locked {
            return Err(self.locked_until - now);
        }
        let is_reset = now - self.last_at > RESET_AFTER;
        let wrong = if is_reset { 1 } else { self.wrong.saturating_add(1) };
        let locked_until = policy.wait_after(wrong).map_or(self.locked_until, |wait| now + wait);
        Ok(Self { wrong, last_at: now.max(self.last_at), locked_until })
    }
}

impl LockoutPolicy {
    fn wait_after(self, wrong: i32) -> Option<TimeDelta> {
        let excess = wrong - self.free_attempts;
        if excess < 0 {
            return None;
        }
        let doubled = (0..excess).try_fold(self.first_wait, |wait, _| {
            let longer = wait * 2;
            if longer >= MAX_WAIT { Err(MAX_WAIT) } else { Ok(longer) }
        });
        Some(doubled.unwrap_or_else(|max| max).min(MAX_WAIT))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const POLICY: LockoutPolicy = LockoutPolicy { free_attempts: 5, first_wait: TimeDelta::seconds(15) };

    fn start() -> DateTime<Utc> {
        DateTime::from_timestamp(1_800_000_000, 0).unwrap()
    }

    #[test]
    fn a_simultaneous_free_attempt_with_an_earlier_clock_is_not_locked() {
        let later = start() + TimeDelta::milliseconds(3);
        let counter = AttemptCounter::new(later).with_attempt(POLICY, later).unwrap();
        assert_eq!(counter.with_attempt(POLICY, start()).map(|counter| counter.wrong), Ok(2));
        assert_eq!(AttemptCounter::new(later).with_attempt(POLICY, start()).map(|one| one.wrong), Ok(1));
    }

    #[test]
    fn five_attempts_are_free_then_the_wait_doubles_up_to_fifteen_minutes() {
        let mut tally = AttemptCounter::new(start());
        let mut now = start();
        let mut waits = Vec::new();
        for _ in 0..13 {
            tally = tally.with_attempt(POLICY, now).unwrap();
            waits.push((tally.locked_until - now).num_seconds());
            if tally.locked_until > now {
                assert_eq!(tally.with_attempt(POLICY, now), Err(tally.locked_until - now));
            }
            now = tally.locked_until;
        }
        assert_eq!(waits, [0, 0, 0, 0, 15, 30, 60, 120, 240, 480, 900, 900, 900]);
    }

    #[test]
    fn the_count_restarts_after_an_hour_without_attempts() {
        let tally = AttemptCounter { wrong: 40, last_at: start(), locked_until: start() + MAX_WAIT };
        let later = start() + RESET_AFTER + TimeDelta::seconds(1);
        assert_eq!(tally.with_attempt(POLICY, later).unwrap().wrong, 1);
    }

    #[test]
    fn the_count_does_not_restart_after_exactly_an_hour() {
        let tally = AttemptCounter { wrong: 40, last_at: start(), locked_until: start() + MAX_WAIT };
        assert_eq!(tally.with_attempt(POLICY, start() + RESET_AFTER).unwrap().wrong, 41);
    }

    #[test]
    fn simultaneous_attempts_do_not_lock_each_other_out() {
        let later =
            AttemptCounter::new(start() - TimeDelta::seconds(9)).with_attempt(POLICY, start()).unwrap();
        assert!(later.with_attempt(POLICY, start() - TimeDelta::milliseconds(1)).is_ok());
    }

    proptest! {
        #[test]
        fn attempts_are_rate_limited(pauses in proptest::collection::vec(0_i64..1_000, 1..400)) {
            let mut tally = AttemptCounter::new(start());
            let mut now = start();
            let mut tried = 0_i64;
            for pause in pauses {
                now += TimeDelta::seconds(pause);
                if let Ok(more) = tally.with_attempt(POLICY, now) {
                    tally = more;
                    tried += 1;
                }
                prop_assert!(tally.locked_until - now <= MAX_WAIT);
            }
            // Ten attempts until the wait has its maximum, then one each quarter of an hour.
            let quarters = (now - start()).num_seconds() / MAX_WAIT.num_seconds();
            prop_assert!(tried <= 11 + quarters, "{tried} in {quarters} quarters");
        }
    }
}
