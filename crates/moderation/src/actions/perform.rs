//! Carries out the actions of operators, with their entries in the audit log.

use caraplace_accounts::filters::Filters;
use caraplace_accounts::gallery::tiers::Tiers;
use caraplace_canvas::history::History;
use caraplace_log::audit_reason::AuditReason;
use caraplace_log::state::AppState;
use platform::refusal::Refusal;
use rules::sanctions::Sanction;

use super::OperatorAction;
use super::accounts::{apply_sanction, ban, clear_texts, mute, rename, revoke_agent_key};
use super::answer::ActionAnswer;
use super::content::{
    close_plan, post_announcement, release_messages, set_crew_hidden, set_message_hidden, set_plan_hidden,
};
use super::decisions::{close_report, decide_appeal};
use super::passes::{grant_pass, revoke_pass};
use super::rollbacks::{begin_rollback, undo_rollback};
use super::seasons::{change_setting, freeze_season, open_season, schedule_season, unfreeze_season};

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
) -> Result<ActionAnswer, Refusal> {
    let state = services.state();
    match action {
        OperatorAction::HideMessage(id, _) => set_message_hidden(state, audit_reason, id, true).await,
        OperatorAction::RestoreMessage(id, _) => set_message_hidden(state, audit_reason, id, false).await,
        OperatorAction::Announce(body) => post_announcement(state, audit_reason, body).await,
        OperatorAction::ReleaseMessages(body) => release_messages(state, audit_reason, body).await,
        OperatorAction::Ban(id, body) => ban(state, &audit_reason, id, body).await,
        OperatorAction::Unban(id, _) => apply_sanction(state, &audit_reason, id, &Sanction::Unban).await,
        OperatorAction::Mute(id, body) => mute(state, &audit_reason, id, body).await,
        OperatorAction::Unmute(id, _) => apply_sanction(state, &audit_reason, id, &Sanction::Unmute).await,
        OperatorAction::Shadow(id, _) => apply_sanction(state, &audit_reason, id, &Sanction::Shadow).await,
        OperatorAction::Unshadow(id, _) => {
            apply_sanction(state, &audit_reason, id, &Sanction::Unshadow).await
        }
        OperatorAction::Rename(id, body) => rename(state, services.filters(), &audit_reason, id, body).await,
        OperatorAction::ClearProfile(id, body) => clear_texts(state, &audit_reason, id, body).await,
        OperatorAction::RevokeAgentKey(id, body) => revoke_agent_key(state, &audit_reason, id, body).await,
        OperatorAction::CloseReport(id, body) => close_report(state, &audit_reason, id, body).await,
        OperatorAction::DecideAppeal(id, body) => decide_appeal(state, &audit_reason, id, body).await,
        OperatorAction::ClosePlan(id, _) => close_plan(state, audit_reason, id).await,
        OperatorAction::HidePlan(id, _) => set_plan_hidden(state, audit_reason, id, true).await,
        OperatorAction::RestorePlan(id, _) => set_plan_hidden(state, audit_reason, id, false).await,
        OperatorAction::HideCrew(id, _) => set_crew_hidden(state, &audit_reason, id, true).await,
        OperatorAction::RestoreCrew(id, _) => set_crew_hidden(state, &audit_reason, id, false).await,
        OperatorAction::BeginRollback(body) => {
            begin_rollback(state, services.history(), &audit_reason, body).await
        }
        OperatorAction::UndoRollback(id, _) => undo_rollback(state, &audit_reason, id).await,
        OperatorAction::OpenSeason(body) => open_season(state, &audit_reason, body).await,
        OperatorAction::FreezeSeason(_) => freeze_season(state, &audit_reason).await,
        OperatorAction::UnfreezeSeason(_) => unfreeze_season(state, &audit_reason).await,
        OperatorAction::ScheduleSeason(body) => schedule_season(state, &audit_reason, body).await,
        OperatorAction::ChangeSetting(body) => change_setting(state, &audit_reason, body).await,
        OperatorAction::GrantPass(body) => grant_pass(state, services.tiers(), &audit_reason, body).await,
        OperatorAction::RevokePass(id, _) => revoke_pass(state, services.tiers(), &audit_reason, id).await,
    }
}
