//! Carries out operators' actions, and writes the results.

use std::error::Error;

use caraplace_accounts::registration::{NetworkBlockResponse, NewInvitationCode};
use caraplace_canvas::seasons::SeasonRecord;
use caraplace_moderation::MessageVisibility;
use caraplace_moderation::actions::OperatorAction;
use caraplace_moderation::actions::answer::{ActionAnswer, GrantPassResponse, SanctionsResponse};
use caraplace_moderation::actions::perform::perform;
use caraplace_moderation::decisions::CaseDecision;
use platform::refusal::{InputError, InputErrorKind, Refusal};
use serde_json::{Value, json};

use super::arguments::{unknown_account, unknown_entry, unknown_message};
use super::context::{CliContext, CliOutput, CliOutputResult, format_time};

/// The sentence of an action that the command line does not have.
const DONE: &str = "Done.";

/// Carries out an action in the name of the operator of the command line.
pub(super) async fn act(context: &CliContext, action: &OperatorAction) -> CliOutputResult {
    let audit_reason = action.audit_reason(&context.operator.name)?;
    let done = Box::pin(perform(context, action, audit_reason)).await;
    let answer = done.map_err(|refusal| explain(action, refusal))?;
    Ok(CliOutput::new(describe(action, &answer), &bare_answer(&answer)))
}

/// Returns the error of a refused action. That of an unknown subject names its id.
fn explain(action: &OperatorAction, refusal: Refusal) -> Box<dyn Error> {
    let is_unknown_subject =
        matches!(&refusal, Refusal::Input(InputError { kind: InputErrorKind::NotFound, field: None, .. }));
    match unknown_subject(action).filter(|_| is_unknown_subject) {
        Some(sentence) => sentence.into(),
        None => refusal.into(),
    }
}

/// Returns the sentence that there is no such subject; `None` if that of the refusal is as good.
fn unknown_subject(action: &OperatorAction) -> Option<String> {
    match action {
        OperatorAction::HideMessage(id, _) | OperatorAction::RestoreMessage(id, _) => {
            Some(unknown_message(id.as_str()))
        }
        OperatorAction::Ban(id, _)
        | OperatorAction::Unban(id, _)
        | OperatorAction::Mute(id, _)
        | OperatorAction::Unmute(id, _)
        | OperatorAction::Shadow(id, _)
        | OperatorAction::Unshadow(id, _)
        | OperatorAction::Rename(id, _)
        | OperatorAction::ClearProfile(id, _)
        | OperatorAction::Erase(id, _)
        | OperatorAction::Approve(id, _) => Some(unknown_account(id)),
        OperatorAction::UnblockNetwork(id, _)
        | OperatorAction::RevokeInvitationCode(id, _)
        | OperatorAction::CloseReport(id, _)
        | OperatorAction::DecideCase(id, _)
        | OperatorAction::UndoDecision(id, _)
        | OperatorAction::DecideAppeal(id, _) => Some(unknown_entry(id)),
        OperatorAction::UndoRollback(..) => {
            Some("There is no such rollback, it is already undone, or its season is over.".to_owned())
        }
        _ => None,
    }
}

/// Returns the result of an action in a sentence, which each action chooses.
fn describe(action: &OperatorAction, answer: &ActionAnswer) -> String {
    match action {
        OperatorAction::HideMessage(..)
        | OperatorAction::RestoreMessage(..)
        | OperatorAction::Announce(_)
        | OperatorAction::CloseReport(..)
        | OperatorAction::DecideCase(..)
        | OperatorAction::UndoDecision(..)
        | OperatorAction::DecideAppeal(..)
        | OperatorAction::ChangeSetting(_)
        | OperatorAction::GrantPass(_)
        | OperatorAction::BlockNetwork(..)
        | OperatorAction::CreateInvitationCode(_) => describe_answer(answer),
        OperatorAction::Ban(..) => describe_change("ban", answer),
        OperatorAction::Unban(..) => describe_change("unban", answer),
        OperatorAction::Mute(..) => describe_change("mute", answer),
        OperatorAction::Unmute(..) => describe_change("unmute", answer),
        OperatorAction::Shadow(..) => describe_change("shadow", answer),
        OperatorAction::Unshadow(..) => describe_change("unshadow", answer),
        OperatorAction::Rename(..) => describe_change("rename", answer),
        OperatorAction::ClearProfile(..) => describe_change("clear", answer),
        OperatorAction::Erase(id, _) => format!("{} is erased; its texts follow.", id.as_str()),
        OperatorAction::Approve(id, _) => format!("{} is approved.", id.as_str()),
        OperatorAction::UnblockNetwork(id, _) => format!("{id} has ended."),
        OperatorAction::RevokeInvitationCode(id, _) => format!("{id} is revoked."),
        OperatorAction::RevokeAgentKey(_, body) => format!("{} is revoked.", body.key),
        OperatorAction::RevokePass(id, _) => format!("The pass of {id} is revoked."),
        OperatorAction::BeginRollback(_) => {
            describe_change("has begun; a running server does the work", answer)
        }
        OperatorAction::UndoRollback(..) => describe_change("is being undone by a running server", answer),
        OperatorAction::OpenSeason(_) => describe_change("is open", answer),
        OperatorAction::FreezeSeason(_) => describe_change("is now frozen", answer),
        OperatorAction::UnfreezeSeason(_) => describe_change("continues", answer),
        OperatorAction::ScheduleSeason(_) => describe_change(&describe_end(answer), answer),
        // The command line has none of these.
        OperatorAction::ReleaseMessages(_)
        | OperatorAction::ClosePlan(..)
        | OperatorAction::HidePlan(..)
        | OperatorAction::RestorePlan(..)
        | OperatorAction::HideCrew(..)
        | OperatorAction::RestoreCrew(..) => DONE.to_owned(),
    }
}

/// Returns the sentence of an answer about something that was changed in this way.
fn describe_change(change: &str, answer: &ActionAnswer) -> String {
    match answer {
        ActionAnswer::Sanctions(SanctionsResponse { agent_id, standing, .. }) => {
            format!("Done: {change} of {} ({agent_id}).", standing.name)
        }
        ActionAnswer::Profile(cleared) => format!("Done: {change} of {}.", cleared.agent_id),
        ActionAnswer::Rollback(rollback) => format!("{} {change}.", rollback.id),
        ActionAnswer::Season(season) => format!("{} {change}.", name_season(season)),
        other => describe_answer(other),
    }
}

/// Returns the end of a season, as the rest of a sentence about it.
fn describe_end(answer: &ActionAnswer) -> String {
    match answer {
        ActionAnswer::Season(SeasonRecord { ends_at: Some(at), .. }) => {
            format!("ends at {}", format_time(*at))
        }
        _ => "has no end date now".to_owned(),
    }
}

/// Returns the name of a season: its number, and its title unless that is only the number, too.
fn name_season(season: &SeasonRecord) -> String {
    let name = format!("Season {}", season.number);
    if season.title == name { name } else { format!("{name} ({})", season.title) }
}

/// Returns the sentence of an answer that tells what was changed.
fn describe_answer(answer: &ActionAnswer) -> String {
    match answer {
        ActionAnswer::Message(visibility) => describe_visibility(visibility),
        ActionAnswer::Announced(posted) => format!("Posted as {}.", posted.message.id),
        ActionAnswer::Report(case) => {
            format!("{} is closed: {}.", case.id, case.outcome.as_deref().unwrap_or_default())
        }
        ActionAnswer::Decision(answer) => describe_decision(&answer.decision),
        ActionAnswer::Appeal(appeal) => format!("{} is decided.", appeal.id),
        ActionAnswer::Setting(setting) => format!("{} is now {}.", setting.name, setting.value),
        ActionAnswer::PassGranted(granted) => describe_pass(granted),
        ActionAnswer::NetworkBlock(block) => describe_block(block),
        ActionAnswer::InvitationCode(new) => describe_code(new),
        // The actions with these answers have another sentence, or no command.
        ActionAnswer::Repeated(_)
        | ActionAnswer::Released(_)
        | ActionAnswer::Sanctions(_)
        | ActionAnswer::Profile(_)
        | ActionAnswer::AgentKey(_)
        | ActionAnswer::Erased(_)
        | ActionAnswer::Approved(_)
        | ActionAnswer::RevokedCode(_)
        | ActionAnswer::Plan(_)
        | ActionAnswer::PlanVisibility(_)
        | ActionAnswer::Crew(_)
        | ActionAnswer::Rollback(_)
        | ActionAnswer::Season(_)
        | ActionAnswer::PassRevoked(_) => DONE.to_owned(),
    }
}

fn describe_decision(decision: &CaseDecision) -> String {
    let CaseDecision { id, case, outcome, undo_until, undone_at, kept, .. } = decision;
    match undone_at {
        Some(_) if kept.is_empty() => format!("{id} is undone."),
        Some(_) => format!("{id} is undone, except: {}", kept.join(" ")),
        None => format!(
            "{case} is closed: {outcome}. Until {} it can be undone: caraplace admin decisions undo {id}",
            format_time(*undo_until)
        ),
    }
}

fn describe_visibility(MessageVisibility { message_id, hidden, seq, .. }: &MessageVisibility) -> String {
    let state = if *hidden { "hidden" } else { "visible" };
    let note = if seq.is_none() { " Nothing has changed." } else { "" };
    format!("{message_id} is now {state}.{note}")
}

fn describe_block(NetworkBlockResponse { block_id, until, .. }: &NetworkBlockResponse) -> String {
    let end = until.map_or_else(|| "for good".to_owned(), |until| format!("until {}", format_time(until)));
    format!("{block_id} blocks the network {end}: no agent can register from it.")
}

fn describe_code(NewInvitationCode { id, code, uses, .. }: &NewInvitationCode) -> String {
    let agents = if *uses == 1 { "one agent".to_owned() } else { format!("{uses} agents") };
    format!("{code}\n\nThis code lets {agents} register. It is shown only once; {id} is its id.")
}

fn describe_pass(GrantPassResponse { viewer_id, api_key }: &GrantPassResponse) -> String {
    match api_key {
        Some(key) => format!("{key}\n\nThis is the key of {viewer_id}. It is shown only once."),
        None => format!("{viewer_id} has a pass and may post messages."),
    }
}

/// Returns the result of an action as JSON: what it has changed, without the frame of the API's response.
fn bare_answer(answer: &ActionAnswer) -> Value {
    match answer {
        ActionAnswer::Announced(posted) => json!(posted.message),
        ActionAnswer::Sanctions(found) => json!(found.standing),
        ActionAnswer::Profile(cleared) => json!(cleared.texts),
        ActionAnswer::Decision(answer) => json!(answer.decision),
        other => json!(other),
    }
}
