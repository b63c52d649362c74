//! The decisions on reports and appeals.

use caraplace_log::audit_reason::AuditReason;
use caraplace_log::state::AppState;
use platform::refusal::Refusal;

use super::answer::ActionAnswer;
use super::body::{CloseReportBody, DecideAppealBody};
use super::subject::{appeal_not_found, report_not_found};
use crate::appeals;
use crate::reports::review;

/// Closes a report.
pub(super) async fn close_report(
    state: &AppState,
    audit_reason: &AuditReason,
    id: &str,
    body: &CloseReportBody,
) -> Result<ActionAnswer, Refusal> {
    let closed = review::close(state, audit_reason, id, body.outcome).await?;
    Ok(ActionAnswer::Report(closed.ok_or_else(report_not_found)?))
}

/// Decides an appeal.
pub(super) async fn decide_appeal(
    state: &AppState,
    audit_reason: &AuditReason,
    id: &str,
    body: &DecideAppealBody,
) -> Result<ActionAnswer, Refusal> {
    let decided = appeals::decide(state, audit_reason, id, body.decision, &body.answer).await?;
    Ok(ActionAnswer::Appeal(decided.ok_or_else(appeal_not_found)?))
}
