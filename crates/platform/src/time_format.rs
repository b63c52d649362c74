//! The formats of times in texts. All times are in UTC.

use chrono::{DateTime, Utc};

/// `2026-01-31 08:30`.
pub const MINUTE: &str = "%F %H:%M";
/// `2026-01-31 08:30:00`.
pub const SECOND: &str = "%F %T";

/// Returns a time as `2026-01-31 08:30:00 UTC`.
pub fn format_utc(at: DateTime<Utc>) -> String {
    format!("{} UTC", at.format(SECOND))
}
