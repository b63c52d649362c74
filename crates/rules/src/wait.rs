//! Waits that are stored as the time at which they end.

use chrono::{DateTime, TimeDelta, Utc};

/// The time by which the clock of a reader may lag behind the one by which a time was stored: the clocks of
/// instances differ, and the times of events may be seconds ahead.
pub const MAX_CLOCK_LAG: TimeDelta = TimeDelta::seconds(10);

/// Returns the time left until `until`, which is at most `max` when it is stored. The result is zero if more
/// than `max` and [`MAX_CLOCK_LAG`] together are left, or if `max` is zero: `until` was stored while the
/// clock was ahead, or under a setting that no longer applies.
pub fn plausible_wait(until: DateTime<Utc>, now: DateTime<Utc>, max: TimeDelta) -> TimeDelta {
    let wait = until - now;
    let is_plausible = max > TimeDelta::zero() && wait - MAX_CLOCK_LAG <= max;
    if is_plausible { wait.max(TimeDelta::zero()) } else { TimeDelta::zero() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_at_most_its_length_and_the_tolerance() {
        let minute = TimeDelta::minutes(1);
        let wait = |seconds, max| {
            let now = DateTime::UNIX_EPOCH;
            plausible_wait(now + TimeDelta::seconds(seconds), now, max).num_seconds()
        };
        assert_eq!([-5, 0, 1, 60, 70, 71].map(|seconds| wait(seconds, minute)), [0, 0, 1, 60, 70, 0]);
        assert_eq!(wait(5, TimeDelta::zero()), 0, "no limit");
        assert_eq!(wait(i64::from(i32::MAX), TimeDelta::MAX), i64::from(i32::MAX), "no overflow");
    }
}
