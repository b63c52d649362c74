//! Undoes a decision in one transaction. What others have changed since stays as they have left it.

use caraplace_log::audit_reason::AuditReason;
use caraplace_log::control_entry::ControlEntry;
use caraplace_log::head_lock::HeadLock;
use caraplace_log::state::AppState;
use caraplace_log::{audit, control, database_time};
use chrono::{DateTime, Utc};
use platform::refusal::{DecisionRefusal, Refusal};
use rules::ids::MessageId;
use rules::reports::history::REJECTION_DURATION;
use serde_json::json;
use sqlx::PgConnection;

use super::store::{self, HeldReport, ReopenedCase};
use super::{CaseDecision, ChangeKind, DecidedSanctions, DecisionRecord, RecordedSanction};
use crate::hide::{LockedMessages, find_targets};
use crate::reports::act_on_reports;
use crate::rollback::undo_in_transaction;
use crate::sanctions::{change_in_transaction, reopen_replaced_appeal};
use crate::store::{folding, reporters, sanctions};

/// Undoes a decision. `None` if it does not exist.
///
/// # Errors
/// `Decision` if it is undone already, or too old. `Overloaded` if a case about the same is opened at the
/// same moment.
pub(crate) async fn undo(
    state: &AppState,
    audit_reason: &AuditReason,
    id: &str,
) -> Result<Option<CaseDecision>, Refusal> {
    let Some(found) = store::find(&state.pool, id).await? else { return Ok(None) };
    let hidden = found.decision.hidden.iter().filter_map(|id| MessageId::parse(id));
    let targets = find_targets(state, hidden).await?;
    let mut transaction = state.pool.begin().await?;
    let mut head_lock = HeadLock::acquire(&mut transaction, &state.clock).await?;
    let Some(mut record) = store::find(&mut *transaction, id).await? else { return Ok(None) };
    let now = database_time(&mut transaction, state.clock.offset()).await?;
    if record.decision.undone_at.is_some() {
        return Err(DecisionRefusal::Undone.into());
    }
    if !record.decision.can_be_undone(now) {
        return Err(DecisionRefusal::UndoTooLate.into());
    }
    let mut messages = LockedMessages::read(state, &mut transaction, &head_lock, targets).await?;
    let before = json!(record.decision);
    let CaseDecision { hidden, decided_at, .. } = &record.decision;
    let changed = store::list_changed_messages(&mut transaction, hidden, *decided_at).await?;
    let (restored, mut kept) = split_restorable(&messages, hidden, &changed);
    messages.set_hidden(&mut transaction, &mut head_lock, &restored, false).await?;
    kept.extend(restore_sanctions(state, &mut transaction, audit_reason, &record).await?);
    if let Some(rollback) = &record.decision.rollback
        && !undo_in_transaction(state, &mut transaction, rollback).await?
    {
        kept.push(format!("{rollback} is undone already, or its season has ended."));
    }
    let reopened = reopen_cases(&mut transaction, &record, now).await?;
    fold_again(state, &mut transaction, &record.folded, &reopened).await?;
    let is_reopened = |id: &String| reopened.iter().any(|case| case.id == *id);
    let closed = [&record.decision.case].into_iter().chain(&record.decision.also_closed);
    kept.extend(
        closed
            .filter(|id| !is_reopened(id))
            .map(|id| format!("{id} stays closed, because a newer case about the same is open.")),
    );
    store::mark_undone(&mut transaction, id, &audit_reason.operator, now, &kept).await?;
    record.decision.undone_at = Some(now);
    record.decision.kept = kept;
    let entry =
        audit_reason.audit_entry("undo_decision", &record.decision.case, before, json!(record.decision));
    audit::record(&mut transaction, &entry, state.clock.offset()).await?;
    state.log.commit_private_news(transaction, &messages.concerned_accounts()).await?;
    evaluate(state, reopened).await;
    Ok(Some(record.decision))
}

/// Returns the ids of the messages that are restored, and sentences about those that are not: deleted ones,
/// and those that somebody has changed since.
fn split_restorable(
    messages: &LockedMessages,
    hidden: &[String],
    changed: &[String],
) -> (Vec<String>, Vec<String>) {
    let mut restored = Vec::new();
    let mut kept = Vec::new();
    for id in hidden {
        if messages.is_deleted(id) {
            kept.push(format!("{id} was deleted by its author."));
        } else if changed.contains(id) {
            kept.push(format!("{id} was hidden or restored since."));
        } else if messages.is_hidden(id) == Some(true) {
            restored.push(id.clone());
        }
    }
    (restored, kept)
}

/// Puts the sanctions back to what they were, unless somebody has changed them since. Returns a sentence
/// about what stays as it is.
async fn restore_sanctions(
    state: &AppState,
    connection: &mut PgConnection,
    audit_reason: &AuditReason,
    record: &DecisionRecord,
) -> Result<Option<String>, Refusal> {
    let (Some(recorded), Some(decided)) = (&record.sanction, &record.decision.sanctions) else {
        return Ok(None);
    };
    let DecidedSanctions { agent_id, before, after } = decided;
    let RecordedSanction { account, kind, cleared_before } = recorded;
    let Some((_, current)) = sanctions::find(connection, agent_id).await? else { return Ok(None) };
    if !kind.is_unchanged(&current, after) {
        return Ok(Some(format!("The sanctions of {agent_id} were changed since the decision.")));
    }
    if let Some(inverse) = kind.inverse(before) {
        let operator = &audit_reason.operator;
        change_in_transaction(state, connection, operator, *account, &inverse, &current).await?;
    }
    // A shadow-ban closes no appeal: one that was closed since belongs to somebody else's ban or mute.
    if matches!(kind, ChangeKind::Ban | ChangeKind::Mute) {
        reopen_replaced_appeal(connection, *account, record.decision.decided_at).await?;
    }
    // The end of a shadow-ban takes the weight from all earlier reports.
    if matches!(kind, ChangeKind::Shadow | ChangeKind::Unshadow) {
        store::set_cleared_at(connection, *account, *cleared_before).await?;
    }
    let is_ended = *kind == ChangeKind::Unshadow;
    Ok(is_ended.then(|| {
        format!(
            "Crews, invitations and changes of plans of {agent_id} from its shadow-ban stay as its end has \
             left them."
        )
    }))
}

/// Opens the cases again, and lets the reports count that no other rejection covers.
///
/// # Errors
/// `Overloaded` if somebody opens a case about the same at the same moment.
async fn reopen_cases(
    connection: &mut PgConnection,
    record: &DecisionRecord,
    now: DateTime<Utc>,
) -> Result<Vec<ReopenedCase>, Refusal> {
    let refuse = |error: sqlx::Error| {
        let constraint = error.as_database_error().and_then(|error| error.constraint());
        if constraint == Some("report_case_open") { Refusal::Overloaded } else { error.into() }
    };
    let reopened = store::reopen_cases(connection, &record.cases).await.map_err(refuse)?;
    for author in reopened.iter().filter_map(|case| case.author) {
        reporters::lock_reports_about(connection, author).await?;
    }
    let DecisionRecord { decision, cases, held, .. } = record;
    let since = now - REJECTION_DURATION;
    let mut released = Vec::new();
    for report in store::list_held_reports(connection, cases, held, decision.decided_at).await? {
        let HeldReport { no, author, agent, owner, networks } = report;
        if !reporters::has_recent_rejection(connection, author, agent, &owner, &networks, since).await? {
            released.push(no);
        }
    }
    store::release_reports(connection, &released).await?;
    Ok(reopened)
}

/// Folds the messages of cases that are open again if they were folded before.
async fn fold_again(
    state: &AppState,
    connection: &mut PgConnection,
    folded: &[String],
    reopened: &[ReopenedCase],
) -> Result<(), sqlx::Error> {
    for case in reopened.iter().filter(|case| folded.contains(&case.target)) {
        if let Some(seq) = folding::fold(connection, &case.target, case.no).await? {
            control::append(connection, ControlEntry::FoldingChanged(seq), state.clock.offset()).await?;
        }
    }
    Ok(())
}

/// Evaluates the reports of cases that are open again, like new ones.
async fn evaluate(state: &AppState, reopened: Vec<ReopenedCase>) {
    for ReopenedCase { no, kind, target, author, .. } in reopened {
        let Some(author) = author else { continue };
        let message = MessageId::parse(&target).filter(|_| kind == "message");
        // The decision is undone, and the next report about the author is evaluated together with these.
        if let Err(refusal) = act_on_reports(state, no, author, message.as_ref()).await {
            tracing::error!(?refusal, "reports of a case that is open again could not be evaluated");
        }
    }
}
