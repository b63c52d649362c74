//! Carries out operators' actions, and writes the results.

use std::error::Error;

use caraplace_canvas::seasons::SeasonRecord;
use caraplace_moderation::MessageVisibility;
use caraplace_moderation::actions::OperatorAction;
use caraplace_moderation::actions::answer::{ActionAnswer, GrantPassResponse, SanctionsResponse};
use caraplace_moderation::actions::perform::perform;
use platform::refusal::{InputError, InputErrorKind, Refusal};
use serde_json::{Value, json};

use super::arguments::{unknown_account, unknown_entry, unknown_message};
use super::context::{CliContext, CliOutput, CliOutputResult};

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
        | OperatorAction::ClearProfile(id, _) => Some(unknown_account(id)),
        OperatorAction::CloseReport(id, _) | OperatorAction::DecideAppeal(id, _) => Some(unknown_entry(id)),
        OperatorAction::UndoRollback(..) => {
            Some("There is no such rollback, it is already undone, or its season is over.".to_owned())
        }
        _ => None,
    }
}

/// Returns the result of an action in a sentence.
fn describe(action: &OperatorAction, answer: &ActionAnswer) -> String {
    match (action, answer) {
        (_, ActionAnswer::Message(visibility)) => describe_visibility(visibility),
        (_, ActionAnswer::Announced(posted)) => format!("Posted as {}.", posted.message.id),
        (OperatorAction::Ban(..), ActionAnswer::Sanctions(found)) => describe_sanction("ban", found),
        (OperatorAction::Unban(..), ActionAnswer::Sanctions(found)) => describe_sanction("unban", found),
        (OperatorAction::Mute(..), ActionAnswer::Sanctions(found)) => describe_sanction("mute", found),
        (OperatorAction::Unmute(..), ActionAnswer::Sanctions(found)) => describe_sanction("unmute", found),
        (OperatorAction::Shadow(..), ActionAnswer::Sanctions(found)) => describe_sanction("shadow", found),
        (OperatorAction::Unshadow(..), ActionAnswer::Sanctions(found)) => {
            describe_sanction("unshadow", found)
        }
        (OperatorAction::Rename(..), ActionAnswer::Sanctions(found)) => describe_sanction("rename", found),
        (_, ActionAnswer::Profile(cleared)) => format!("Done: clear of {}.", cleared.agent_id),
        (OperatorAction::RevokeAgentKey(_, body), _) => format!("{} is revoked.", body.key),
        (_, ActionAnswer::Report(case)) => {
            format!("{} is closed: {}.", case.id, case.outcome.as_deref().unwrap_or_default())
        }
        (_, ActionAnswer::Appeal(appeal)) => format!("{} is decided.", appeal.id),
        (OperatorAction::BeginRollback(_), ActionAnswer::Rollback(begun)) => {
            format!("{} has begun; a running server does the work.", begun.id)
        }
        (OperatorAction::UndoRollback(..), ActionAnswer::Rollback(undone)) => {
            format!("{} is being undone by a running server.", undone.id)
        }
        (OperatorAction::OpenSeason(_), ActionAnswer::Season(season)) => describe_season(season, "is open"),
        (OperatorAction::FreezeSeason(_), ActionAnswer::Season(season)) => {
            describe_season(season, "is now frozen")
        }
        (OperatorAction::UnfreezeSeason(_), ActionAnswer::Season(season)) => {
            describe_season(season, "continues")
        }
        (OperatorAction::ScheduleSeason(_), ActionAnswer::Season(season)) => {
            describe_season(season, "end date updated")
        }
        (_, ActionAnswer::Setting(setting)) => format!("{} is now {}.", setting.name, setting.value),
        (_, ActionAnswer::PassGranted(granted)) => describe_pass(granted),
        (OperatorAction::RevokePass(id, _), _) => format!("The pass of {id} is revoked."),
        // The command line has no other action.
        _ => "Done.".to_owned(),
    }
}

fn describe_visibility(MessageVisibility { message_id, hidden, seq, .. }: &MessageVisibility) -> String {
    let state = if *hidden { "hidden" } else { "visible" };
    let note = if seq.is_none() { " Nothing has changed." } else { "" };
    format!("{message_id} is now {state}.{note}")
}

fn describe_sanction(verb: &str, SanctionsResponse { agent_id, standing, .. }: &SanctionsResponse) -> String {
    format!("Done: {verb} of {} ({agent_id}).", standing.name)
}

fn describe_season(season: &SeasonRecord, change: &str) -> String {
    format!("Season {}, {}, {change}.", season.number, season.title)
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
        other => json!(other),
    }
}
