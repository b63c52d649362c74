//! The SQL of moderation.

pub(super) mod appeals;
pub(super) mod audit;
pub(super) mod evidence;
pub(super) mod report_alerts;
pub(super) mod reporters;
pub(super) mod reports;
pub(super) mod standing;

/// What the database holds as JSON is JSON.
fn json(stored: &str) -> serde_json::Value {
    serde_json::from_str(stored).unwrap_or_default()
}

type Result<T> = std::result::Result<T, sqlx::Error>;
