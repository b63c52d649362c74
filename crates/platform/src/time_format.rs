//! The formats of times and durations in texts. All times are in UTC.

use chrono::{DateTime, TimeDelta, Utc};

/// `2026-01-31 08:30`.
pub const MINUTE: &str = "%F %H:%M";
/// `2026-01-31 08:30:00`.
pub const SECOND: &str = "%F %T";

/// Returns a time as `2026-01-31 08:30:00 UTC`.
pub fn format_utc(at: DateTime<Utc>) -> String {
    format!("{} UTC", at.format(SECOND))
}

/// Returns a duration in seconds, rounded up; 0 for a negative one.
pub fn whole_seconds(wait: TimeDelta) -> i64 {
    let rounding = i64::from(wait.subsec_nanos() > 0);
    (wait.num_seconds() + rounding).max(0)
}
