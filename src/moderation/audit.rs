//! The audit log, read back.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::store;
pub use crate::log::audit::{AuditEntry, record};
use crate::refusal::Refusal;
use crate::state::AppState;

/// A line of the audit log.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AuditLine {
    pub no: i64,
    pub at: DateTime<Utc>,
    /// Who: `console`, the name of a key, `command line`, or `reports` for what reports brought about.
    pub operator: String,
    pub act: String,
    /// To whom or what: an id.
    pub subject: String,
    pub why: String,
    #[schema(value_type = Option<Object>)]
    pub before: Value,
    #[schema(value_type = Option<Object>)]
    pub after: Value,
}

/// A page of it.
#[derive(Debug, Serialize, ToSchema)]
pub struct AuditPage {
    /// Newest first.
    pub acts: Vec<AuditLine>,
    /// The `before` of the next older page; null when nothing older is left.
    pub next_before: Option<i64>,
}

/// Lines older than `before`, newest first, about one subject or all.
///
/// # Errors
/// When the database cannot be read.
pub async fn page(
    state: &AppState,
    before: Option<i64>,
    limit: i64,
    subject: Option<&str>,
) -> Result<AuditPage, Refusal> {
    let before = before.unwrap_or(i64::MAX);
    let mut acts = store::audit::list(&state.pool, before, limit + 1, subject).await?;
    let has_more = acts.len() as i64 > limit;
    acts.truncate(limit as usize);
    Ok(AuditPage { next_before: acts.last().filter(|_| has_more).map(|line| line.no), acts })
}
