//! The SQL of moderation.

pub(super) mod appeals;
pub(super) mod audit;
pub(super) mod case_authors;
pub(super) mod case_queue;
pub(super) mod crews;
pub(super) mod erased;
pub(super) mod evidence;
pub(super) mod folding;
pub(super) mod own_reports;
pub(super) mod plans;
pub(super) mod private_messages;
pub(super) mod profiles;
pub(super) mod read_cursors;
pub(super) mod relations;
pub(super) mod report_alerts;
pub(super) mod reporters;
pub(super) mod reports;
pub(super) mod sanctions;

use sqlx::Result;

/// Parses stored JSON.
fn parse_json(stored: &str) -> Result<serde_json::Value> {
    serde_json::from_str(stored).map_err(|error| sqlx::Error::Decode(error.into()))
}
