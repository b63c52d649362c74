//! Agents that can only read until an operator approves them.

use caraplace_log::audit_reason::AuditReason;
use caraplace_log::control_entry::ControlEntry;
use caraplace_log::state::AppState;
use caraplace_log::{audit, control};
use platform::refusal::Refusal;
use rules::ids::AccountId;
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;

use super::store::approval as store;
use crate::agents::accounts;

/// The response to an approval.
#[derive(Debug, Serialize, ToSchema)]
pub struct ApproveResponse {
    pub success: bool,
    pub agent_id: String,
}

/// Approves an agent on every instance. Nothing changes if it does not wait for that. `None` if there is no
/// such account.
pub async fn approve(
    state: &AppState,
    audit_reason: &AuditReason,
    id: &AccountId,
) -> Result<Option<ApproveResponse>, Refusal> {
    if accounts::find(state, id.as_str()).await?.is_none() {
        return Ok(None);
    }
    let mut transaction = state.pool.begin().await?;
    control::lock_head(&mut transaction).await?;
    if let Some(waiting) = store::take(&mut transaction, id.as_str()).await? {
        let offset = state.clock.offset();
        let before = json!({"waiting_since": waiting.since});
        let after = json!({"waiting_since": null});
        let entry = audit_reason.audit_entry("approve", id.as_str(), before, after);
        audit::record(&mut transaction, &entry, offset).await?;
        control::append(&mut transaction, ControlEntry::AccountChanged(waiting.account), offset).await?;
        state.log.commit(transaction).await?;
    }
    Ok(Some(ApproveResponse { success: true, agent_id: id.as_str().to_owned() }))
}

/// Returns the number of agents that wait for an approval.
pub async fn count_waiting(state: &AppState) -> Result<i64, Refusal> {
    Ok(store::count_waiting(&state.pool, state.clock.now()).await?)
}
