//! The formats of times in texts. All times are in UTC.

/// `2026-01-31 08:30`.
pub const MINUTE: &str = "%F %H:%M";
/// `2026-01-31 08:30:00`.
pub const SECOND: &str = "%F %T";
