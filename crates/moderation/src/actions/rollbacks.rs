//! The actions on rollbacks.

use caraplace_canvas::history::History;
use caraplace_log::audit_reason::AuditReason;
use caraplace_log::state::AppState;
use platform::refusal::Refusal;

use super::answer::ActionAnswer;
use super::subject::rollback_not_found;
use crate::rollback;
use crate::rollback::request::{RollbackBody, build_filter};

/// Begins a rollback.
pub(super) async fn begin_rollback(
    state: &AppState,
    history: &History,
    audit_reason: &AuditReason,
    body: &RollbackBody,
) -> Result<ActionAnswer, Refusal> {
    let filter = build_filter(state, history, &body.to_request(state)?).await?;
    let begun = rollback::begin(state, &filter, audit_reason, body.reason_class).await?;
    Ok(ActionAnswer::Rollback(begun))
}

/// Begins to undo a rollback.
pub(super) async fn undo_rollback(
    state: &AppState,
    audit_reason: &AuditReason,
    id: &str,
) -> Result<ActionAnswer, Refusal> {
    let undone = rollback::undo(state, id, audit_reason).await?;
    Ok(ActionAnswer::Rollback(undone.ok_or_else(rollback_not_found)?))
}
