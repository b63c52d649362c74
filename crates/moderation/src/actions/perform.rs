//! Carries out the actions of operators, with their entries in the audit log.

use caraplace_accounts::erasure::{self, EraseResponse};
use caraplace_accounts::filters::Filters;
use caraplace_accounts::gallery::grants::{self, GrantPassBody};
use caraplace_accounts::gallery::passes::GrantedPass;
use caraplace_accounts::gallery::tiers::Tiers;
use caraplace_accounts::registration::invitation_codes::{self, InvitationCodeBody};
use caraplace_accounts::registration::{approval, network_blocks};
use caraplace_canvas::history::History;
use caraplace_canvas::plans;
use caraplace_canvas::seasons::{freeze, open, schedule};
use caraplace_log::audit_reason::AuditReason;
use caraplace_log::command::CommandOutcome;
use caraplace_log::state::AppState;
use caraplace_talk::crews;
use platform::refusal::Refusal;
use rules::ids::{AccountId, MessageId, PlanId};
use rules::message::Message;
use rules::sanctions::{Sanction, Sanctions};
use serde_json::json;

use super::OperatorAction::{self, *};
use super::answer::{
    ActionAnswer as Answer, AgentKeyRevoked, AnnounceResponse, ClearProfileResponse, GrantPassResponse,
    ReleaseResponse, RevokePassResponse, SanctionsResponse,
};
use super::body::{BanBody, BlockNetworkBody, DecideAppealBody, MuteBody};
use super::subject::{
    account_not_found, appeal_not_found, block_not_found, code_not_found, decision_not_found,
    message_not_found, report_not_found, rollback_not_found,
};
use crate::decisions::decide::decide;
use crate::decisions::undo::undo;
use crate::decisions::{DecideCaseBody, DecisionResponse};
use crate::reports::review;
use crate::rollback::request::{RollbackBody, build_filter};
use crate::{
    ProfileTexts, agent_keys, announce, appeals, clear_profile, erase, hide, release, rollback, sanctions,
    settings,
};

/// The services with which actions are carried out. An action asks only for those that it needs.
pub trait ActionServices {
    /// Returns the state.
    fn state(&self) -> &AppState;

    /// Returns the filters of texts and names.
    fn filters(&self) -> &Filters;

    /// Returns the tiers of Gallery Passes.
    fn tiers(&self) -> &Tiers;

    /// Returns the reads of history.
    fn history(&self) -> &History;
}

/// Carries out an action, with its entry in the audit log.
///
/// # Errors
/// The refusal of the action.
pub async fn perform(
    services: &impl ActionServices,
    action: &OperatorAction,
    audit_reason: AuditReason,
) -> Result<Answer, Refusal> {
    let state = services.state();
    let reason = &audit_reason;
    check_not_erased(state, action).await?;
    Ok(match action {
        HideMessage(id, _) => set_message_hidden(state, reason, id, true).await?,
        RestoreMessage(id, _) => set_message_hidden(state, reason, id, false).await?,
        Announce(body) => announced(announce::announce(state, audit_reason, &body.content).await?)?,
        ReleaseMessages(body) => {
            let released = release::release(state, audit_reason, &body.ids).await?;
            Answer::Released(ReleaseResponse { success: true, released })
        }
        Ban(id, BanBody { until, reason: shown, .. }) => {
            sanctioned(id, sanctions::ban(state, reason, id, *until, shown.as_deref()).await?)?
        }
        Unban(id, _) => sanctioned(id, sanctions::apply(state, reason, id, &Sanction::Unban).await?)?,
        Mute(id, MuteBody { until, reason: shown, .. }) => {
            sanctioned(id, sanctions::mute(state, reason, id, *until, shown.as_deref()).await?)?
        }
        Unmute(id, _) => sanctioned(id, sanctions::apply(state, reason, id, &Sanction::Unmute).await?)?,
        Shadow(id, _) => sanctioned(id, sanctions::apply(state, reason, id, &Sanction::Shadow).await?)?,
        Unshadow(id, _) => sanctioned(id, sanctions::apply(state, reason, id, &Sanction::Unshadow).await?)?,
        Rename(id, body) => {
            sanctioned(id, sanctions::rename(state, services.filters(), reason, id, &body.name).await?)?
        }
        ClearProfile(id, body) => cleared(id, clear_profile::clear(state, reason, id, &body.fields).await?)?,
        RevokeAgentKey(id, body) => revoke_agent_key(state, reason, id, &body.key).await?,
        Erase(id, _) => erased(erase::erase(state, services.tiers(), reason, id).await?)?,
        Approve(id, _) => approve(state, reason, id).await?,
        BlockNetwork(id, body) => block_network(state, reason, id, body).await?,
        UnblockNetwork(id, _) => unblock_network(state, reason, id).await?,
        CreateInvitationCode(body) => create_invitation_code(state, reason, body).await?,
        RevokeInvitationCode(id, _) => revoke_invitation_code(state, reason, id).await?,
        CloseReport(id, body) => Answer::Report(
            review::close(state, reason, id, body.outcome).await?.ok_or_else(report_not_found)?,
        ),
        DecideCase(id, body) => decide_case(state, services.history(), reason, id, body).await?,
        UndoDecision(id, _) => undo_decision(state, reason, id).await?,
        DecideAppeal(id, body) => decide_appeal(state, reason, id, body).await?,
        ClosePlan(id, _) => {
            Answer::Plan(Box::new(plans::close::close_as_operator(state, audit_reason, id.clone()).await?))
        }
        HidePlan(id, _) => set_plan_hidden(state, audit_reason, id, true).await?,
        RestorePlan(id, _) => set_plan_hidden(state, audit_reason, id, false).await?,
        HideCrew(id, _) => Answer::Crew(crews::hide::set_hidden(state, reason, id, true).await?),
        RestoreCrew(id, _) => Answer::Crew(crews::hide::set_hidden(state, reason, id, false).await?),
        BeginRollback(body) => begin_rollback(state, services.history(), reason, body).await?,
        UndoRollback(id, _) => {
            Answer::Rollback(rollback::undo(state, id, reason).await?.ok_or_else(rollback_not_found)?)
        }
        OpenSeason(body) => Answer::Season(open::open_next(state, reason, body).await?),
        FreezeSeason(_) => Answer::Season(freeze::freeze(state, reason).await?),
        UnfreezeSeason(_) => Answer::Season(freeze::unfreeze(state, reason).await?),
        ScheduleSeason(body) => Answer::Season(schedule::reschedule(state, reason, body.ends_at).await?),
        ChangeSetting(body) => Answer::Setting(settings::set(state, reason, &body.name, &body.value).await?),
        GrantPass(body) => grant_pass(state, services.tiers(), reason, body).await?,
        RevokePass(id, _) => revoke_pass(state, services.tiers(), reason, id).await?,
    })
}

/// Checks that the account of an action is not erased: nothing is left of it to act on. Its network can still
/// be blocked, and a repeated erasure changes nothing.
///
/// # Errors
/// The refusal of an account that does not exist.
async fn check_not_erased(state: &AppState, action: &OperatorAction) -> Result<(), Refusal> {
    let (Ban(id, _)
    | Unban(id, _)
    | Mute(id, _)
    | Unmute(id, _)
    | Shadow(id, _)
    | Unshadow(id, _)
    | Rename(id, _)
    | ClearProfile(id, _)
    | RevokeAgentKey(id, _)
    | Approve(id, _)) = action
    else {
        return Ok(());
    };
    if erasure::is_erased(state, id.as_str()).await? { Err(account_not_found()) } else { Ok(()) }
}

/// Hides a message, or restores it.
async fn set_message_hidden(
    state: &AppState,
    audit_reason: &AuditReason,
    id: &MessageId,
    hidden: bool,
) -> Result<Answer, Refusal> {
    let visibility = hide::set_hidden(state, audit_reason, id, hidden).await?;
    Ok(Answer::Message(visibility.ok_or_else(message_not_found)?))
}

/// Takes a plan down, or brings it back.
async fn set_plan_hidden(
    state: &AppState,
    audit_reason: AuditReason,
    id: &PlanId,
    hidden: bool,
) -> Result<Answer, Refusal> {
    plans::hide::set_hidden(state, audit_reason, id.clone(), hidden).await.map(Answer::PlanVisibility)
}

/// Returns the answer to an announcement, which may have been posted before.
fn announced(outcome: CommandOutcome<Message>) -> Result<Answer, Refusal> {
    Ok(match outcome {
        CommandOutcome::Executed(message) => {
            Answer::Announced(Box::new(AnnounceResponse { success: true, message }))
        }
        stored @ CommandOutcome::Replayed(_) => {
            Answer::Repeated(json!({"success": true, "message": stored.into_json()?}))
        }
    })
}

/// Returns the answer with an account's sanctions, or the refusal of an account that does not exist.
fn sanctioned(id: &AccountId, found: Option<Sanctions>) -> Result<Answer, Refusal> {
    let standing = found.ok_or_else(account_not_found)?;
    let agent_id = id.as_str().to_owned();
    Ok(Answer::Sanctions(SanctionsResponse { success: true, agent_id, standing }))
}

async fn revoke_agent_key(
    state: &AppState,
    audit_reason: &AuditReason,
    id: &AccountId,
    key: &str,
) -> Result<Answer, Refusal> {
    agent_keys::revoke(state, audit_reason, id, key).await?;
    Ok(Answer::AgentKey(AgentKeyRevoked { revoked: true }))
}

async fn decide_appeal(
    state: &AppState,
    audit_reason: &AuditReason,
    id: &str,
    body: &DecideAppealBody,
) -> Result<Answer, Refusal> {
    let decided = appeals::decide(state, audit_reason, id, body.decision, &body.answer).await?;
    Ok(Answer::Appeal(decided.ok_or_else(appeal_not_found)?))
}

async fn approve(state: &AppState, audit_reason: &AuditReason, id: &AccountId) -> Result<Answer, Refusal> {
    let approved = approval::approve(state, audit_reason, id).await?;
    Ok(Answer::Approved(approved.ok_or_else(account_not_found)?))
}

async fn block_network(
    state: &AppState,
    audit_reason: &AuditReason,
    id: &AccountId,
    body: &BlockNetworkBody,
) -> Result<Answer, Refusal> {
    let blocked = network_blocks::block(state, audit_reason, id, body.until).await?;
    Ok(Answer::NetworkBlock(blocked.ok_or_else(account_not_found)?))
}

async fn unblock_network(state: &AppState, audit_reason: &AuditReason, id: &str) -> Result<Answer, Refusal> {
    let ended = network_blocks::unblock(state, audit_reason, id).await?;
    Ok(Answer::NetworkBlock(ended.ok_or_else(block_not_found)?))
}

async fn create_invitation_code(
    state: &AppState,
    audit_reason: &AuditReason,
    body: &InvitationCodeBody,
) -> Result<Answer, Refusal> {
    Ok(Answer::InvitationCode(invitation_codes::create(state, audit_reason, body).await?))
}

async fn revoke_invitation_code(
    state: &AppState,
    audit_reason: &AuditReason,
    id: &str,
) -> Result<Answer, Refusal> {
    let revoked = invitation_codes::revoke(state, audit_reason, id).await?;
    Ok(Answer::RevokedCode(revoked.ok_or_else(code_not_found)?))
}

async fn decide_case(
    state: &AppState,
    history: &History,
    audit_reason: &AuditReason,
    id: &str,
    body: &DecideCaseBody,
) -> Result<Answer, Refusal> {
    let decision = decide(state, history, audit_reason, id, body).await?.ok_or_else(report_not_found)?;
    Ok(Answer::Decision(Box::new(DecisionResponse { success: true, decision })))
}

async fn undo_decision(state: &AppState, audit_reason: &AuditReason, id: &str) -> Result<Answer, Refusal> {
    let decision = undo(state, audit_reason, id).await?.ok_or_else(decision_not_found)?;
    Ok(Answer::Decision(Box::new(DecisionResponse { success: true, decision })))
}

async fn begin_rollback(
    state: &AppState,
    history: &History,
    audit_reason: &AuditReason,
    body: &RollbackBody,
) -> Result<Answer, Refusal> {
    let filter = build_filter(state, history, &body.to_request(state)?).await?;
    Ok(Answer::Rollback(rollback::begin(state, &filter, audit_reason, body.reason_class).await?))
}

/// Returns the answer with an account's texts, or the refusal of an account that does not exist.
fn cleared(id: &AccountId, found: Option<ProfileTexts>) -> Result<Answer, Refusal> {
    let texts = found.ok_or_else(account_not_found)?;
    let agent_id = id.as_str().to_owned();
    Ok(Answer::Profile(ClearProfileResponse { success: true, agent_id, texts }))
}

/// Returns the answer to an erasure, or the refusal of an account that does not exist.
fn erased(found: Option<EraseResponse>) -> Result<Answer, Refusal> {
    Ok(Answer::Erased(found.ok_or_else(account_not_found)?))
}

async fn grant_pass(
    state: &AppState,
    tiers: &Tiers,
    audit_reason: &AuditReason,
    body: &GrantPassBody,
) -> Result<Answer, Refusal> {
    let GrantedPass { id, key } = grants::grant_pass(state, tiers, audit_reason, body).await?;
    Ok(Answer::PassGranted(GrantPassResponse { viewer_id: id, api_key: key }))
}

async fn revoke_pass(
    state: &AppState,
    tiers: &Tiers,
    audit_reason: &AuditReason,
    viewer: &str,
) -> Result<Answer, Refusal> {
    grants::revoke_pass(state, tiers, audit_reason, viewer).await?;
    Ok(Answer::PassRevoked(RevokePassResponse { success: true }))
}
