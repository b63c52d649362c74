//! Reads the audit log.

use caraplace_accounts::agents::accounts;
use caraplace_log::state::AppState;
use platform::refusal::Refusal;
use serde::Serialize;
use utoipa::ToSchema;

use super::audit_filter::AuditFilter;
use super::{AuditLine, store};

/// A page of the audit log.
#[derive(Debug, Serialize, ToSchema)]
pub struct AuditPage {
    /// Newest first.
    pub acts: Vec<AuditLine>,
    /// The `before` of the next page with older entries; null on the last page.
    pub next_before: Option<i64>,
}

/// Returns audit entries older than `before`, newest first.
///
/// # Errors
/// `Input` if the log has no such action, or if the filter ends before it starts.
pub async fn page(
    state: &AppState,
    filter: &AuditFilter,
    before: Option<i64>,
    limit: i64,
) -> Result<AuditPage, Refusal> {
    check_filter(state, filter).await?;
    let account = match &filter.subject {
        Some(subject) => accounts::find_id(state, subject).await?,
        None => None,
    };
    let indirect = match &account {
        Some(account) => store::audit::list_indirect(&state.pool, account).await?,
        None => Vec::new(),
    };
    let before = before.unwrap_or(i64::MAX);
    let account = account.as_deref();
    let mut acts = store::audit::list(&state.pool, filter, account, &indirect, before, limit + 1).await?;
    let has_more = acts.len() as i64 > limit;
    acts.truncate(limit as usize);
    Ok(AuditPage { next_before: acts.last().filter(|_| has_more).map(|line| line.no), acts })
}

/// Returns the actions that the log has, in alphabetical order.
pub async fn list_acts(state: &AppState) -> Result<Vec<String>, Refusal> {
    Ok(store::audit::list_acts(&state.pool).await?)
}

/// Checks the values of a filter. What is not in the log is most likely misspelt.
async fn check_filter(state: &AppState, filter: &AuditFilter) -> Result<(), Refusal> {
    if filter.since.zip(filter.until).is_some_and(|(since, until)| until < since) {
        return Err(Refusal::invalid("until", "until must not be before since."));
    }
    let Some(act) = &filter.act else { return Ok(()) };
    let known = list_acts(state).await?;
    if known.contains(act) {
        return Ok(());
    }
    let known = if known.is_empty() { "none so far".to_owned() } else { known.join(", ") };
    Err(Refusal::invalid("act", format!("act must be an action that the audit log has: {known}.")))
}
