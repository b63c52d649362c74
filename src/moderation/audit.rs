//! Reads the audit log.

use chrono::{DateTime, Utc};
use platform::refusal::Refusal;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::store;
pub use crate::log::audit::{AuditActorKind, AuditEntry, record};
use crate::log::state::AppState;

/// An entry of the audit log.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AuditLine {
    pub no: i64,
    pub at: DateTime<Utc>,
    /// The operator: `console` and the address, `key` and its name, `command line`, `schedule` or `reports`.
    pub operator: String,
    pub act: String,
    /// The id of the account or object that was changed.
    pub subject: String,
    pub reason: String,
    #[schema(value_type = Option<Object>)]
    pub before: Value,
    #[schema(value_type = Option<Object>)]
    pub after: Value,
    pub actor_kind: AuditActorKind,
    /// The draft of the guide on which the operator has decided: `draft_…`; null for an action without one.
    pub draft_id: Option<String>,
}

/// A page of the audit log.
#[derive(Debug, Serialize, ToSchema)]
pub struct AuditPage {
    /// Newest first.
    pub acts: Vec<AuditLine>,
    /// The `before` of the next page with older entries; null on the last page.
    pub next_before: Option<i64>,
}

/// Returns audit entries older than `before`, newest first, of one subject or of all.
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
