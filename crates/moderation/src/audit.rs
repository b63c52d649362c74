//! Reads the audit log.

use caraplace_log::state::AppState;
use platform::refusal::Refusal;
use serde::Serialize;
use utoipa::ToSchema;

use super::{AuditLine, store};

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
