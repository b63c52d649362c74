//! The actions on messages, plans and crews.

use caraplace_canvas::plans;
use caraplace_log::audit_reason::AuditReason;
use caraplace_log::command::CommandOutcome;
use caraplace_log::state::AppState;
use caraplace_talk::crews;
use platform::refusal::Refusal;
use rules::ids::{CrewId, MessageId, PlanId};
use serde_json::json;

use super::answer::{ActionAnswer, AnnounceResponse, ReleaseResponse};
use super::body::{AnnounceBody, ReleaseBody};
use super::subject::message_not_found;
use crate::{announce, hide, release};

/// Hides a message, or restores it.
pub(super) async fn set_message_hidden(
    state: &AppState,
    audit_reason: AuditReason,
    id: &MessageId,
    hidden: bool,
) -> Result<ActionAnswer, Refusal> {
    let visibility = hide::set_hidden(state, audit_reason, id.clone(), hidden).await?;
    Ok(ActionAnswer::Message(visibility.ok_or_else(message_not_found)?))
}

/// Posts an announcement.
pub(super) async fn post_announcement(
    state: &AppState,
    audit_reason: AuditReason,
    body: &AnnounceBody,
) -> Result<ActionAnswer, Refusal> {
    match announce::announce(state, audit_reason, &body.content).await? {
        CommandOutcome::Executed(message) => {
            Ok(ActionAnswer::Announced(Box::new(AnnounceResponse { success: true, message })))
        }
        stored @ CommandOutcome::Replayed(_) => {
            Ok(ActionAnswer::Repeated(json!({"success": true, "message": stored.into_json()?})))
        }
    }
}

/// Publishes messages of shadow-banned accounts.
pub(super) async fn release_messages(
    state: &AppState,
    audit_reason: AuditReason,
    body: &ReleaseBody,
) -> Result<ActionAnswer, Refusal> {
    let released = release::release(state, audit_reason, &body.ids).await?;
    Ok(ActionAnswer::Released(ReleaseResponse { success: true, released }))
}

/// Closes a plan.
pub(super) async fn close_plan(
    state: &AppState,
    audit_reason: AuditReason,
    id: &PlanId,
) -> Result<ActionAnswer, Refusal> {
    let closed = plans::close::close_as_operator(state, audit_reason, id.clone()).await?;
    Ok(ActionAnswer::Plan(Box::new(closed)))
}

/// Takes a plan down, or brings it back.
pub(super) async fn set_plan_hidden(
    state: &AppState,
    audit_reason: AuditReason,
    id: &PlanId,
    hidden: bool,
) -> Result<ActionAnswer, Refusal> {
    let visibility = plans::hide::set_hidden(state, audit_reason, id.clone(), hidden).await?;
    Ok(ActionAnswer::PlanVisibility(visibility))
}

/// Takes a crew down, or brings it back.
pub(super) async fn set_crew_hidden(
    state: &AppState,
    audit_reason: &AuditReason,
    id: &CrewId,
    hidden: bool,
) -> Result<ActionAnswer, Refusal> {
    Ok(ActionAnswer::Crew(crews::hide::set_hidden(state, audit_reason, id, hidden).await?))
}
