//! Decides a case: everything is checked first, then all parts are written in one transaction.

use caraplace_canvas::history::History;
use caraplace_log::audit_reason::AuditReason;
use caraplace_log::head_lock::HeadLock;
use caraplace_log::state::AppState;
use caraplace_log::{audit, database_time};
use chrono::{DateTime, Utc};
use platform::clock;
use platform::refusal::{DecisionRefusal, InputError, InputErrorKind, Refusal, UNKNOWN_ACCOUNT};
use rules::numbers::AccountNo;
use rules::sanctions::Sanctions;
use serde_json::json;
use sqlx::PgConnection;

use super::measures::{self, CheckedRollback, CheckedSanction, Measures, unknown_message};
use super::{
    CaseDecision, ChangeKind, DecideCaseBody, DecidedSanctions, DecisionRecord, RecordedSanction, UNDO_TIME,
    store,
};
use crate::hide::LockedMessages;
use crate::reports::case::ReportCase;
use crate::reports::review::{ClosedCase, close_in_transaction};
use crate::rollback::begin_in_transaction;
use crate::sanctions::{ChangedSanctions, change_in_transaction};
use crate::store::{reports, sanctions};

/// Decides a case. `None` if it does not exist.
///
/// # Errors
/// `Decision` if it is decided already, or `Input` if a part is invalid: then nothing is done.
pub(crate) async fn decide(
    state: &AppState,
    history: &History,
    audit_reason: &AuditReason,
    id: &str,
    body: &DecideCaseBody,
) -> Result<Option<CaseDecision>, Refusal> {
    let Some(case) = reports::find_case(&state.pool, id).await? else { return Ok(None) };
    if case.closed_at.is_some() {
        return Err(DecisionRefusal::CaseClosed.into());
    }
    let mut measures = measures::check(state, history, audit_reason, &case, body).await?;
    let targets = std::mem::take(&mut measures.targets);
    let mut transaction = state.pool.begin().await?;
    let mut head_lock = HeadLock::acquire(&mut transaction, &state.clock).await?;
    let mut messages = LockedMessages::read(state, &mut transaction, &head_lock, targets).await?;
    let checked = check_locked(state, &mut transaction, &messages, case, measures).await?;
    let hidden = checked.hidden.clone();
    messages.set_hidden(&mut transaction, &mut head_lock, &hidden, true).await?;
    let record = checked.write(state, &mut transaction, audit_reason).await?;
    let before = json!({
        "state": "open", "hidden": [], "rollback": null,
        "sanctions": record.decision.sanctions.as_ref().map(|sanctions| &sanctions.before),
    });
    let entry = audit_reason.audit_entry("decide", id, before, json!(record.decision));
    audit::record(&mut transaction, &entry, state.clock.offset()).await?;
    state.log.commit_private_news(transaction, &messages.concerned_accounts()).await?;
    Ok(Some(record.decision))
}

/// A decision that only has to be written.
struct CheckedDecision {
    case: ReportCase,
    measures: Measures,
    /// The ids of the cases to close.
    open: Vec<String>,
    /// The ids of their messages that are folded.
    folded: Vec<String>,
    /// The ids of the messages that are still to be hidden.
    hidden: Vec<String>,
    sanctioned: Option<SanctionedAccount>,
    /// The time up to which reports about the account have no weight.
    cleared_before: Option<DateTime<Utc>>,
    decided_at: DateTime<Utc>,
}

/// The account that is sanctioned.
struct SanctionedAccount {
    no: AccountNo,
    before: Sanctions,
}

/// The cases that were closed.
struct ClosedCases {
    /// The number of the decided case.
    case_no: i64,
    /// The numbers of all of them.
    cases: Vec<i64>,
    /// The numbers of open reports that ceased to count.
    held: Vec<i64>,
    /// The shadow-ban that has ended with them.
    lifted: Option<ChangedSanctions>,
}

/// A change of an account's sanctions.
struct SanctionChange {
    kind: ChangeKind,
    changed: ChangedSanctions,
}

/// Checks what can change until the head is locked.
async fn check_locked(
    state: &AppState,
    connection: &mut PgConnection,
    messages: &LockedMessages,
    case: ReportCase,
    measures: Measures,
) -> Result<CheckedDecision, Refusal> {
    let decided_at = database_time(connection, state.clock.offset()).await?;
    let open = store::lock_open_cases(connection, &case.id, &measures.hide).await?;
    if !open.contains(&case.id) {
        return Err(DecisionRefusal::CaseClosed.into());
    }
    let folded = store::list_folded(connection, &open).await?;
    let mut hidden = Vec::new();
    for id in &measures.hide {
        if !messages.is_hidden(id).ok_or_else(|| unknown_message(id))? {
            hidden.push(id.clone());
        }
    }
    let sanctioned_id = measures.sanction.as_ref().map(|sanction| &sanction.account_id);
    let mut sanctioned = None;
    if let Some(id) = sanctioned_id {
        let unknown = || InputError::for_field(InputErrorKind::NotFound, "agent_id", UNKNOWN_ACCOUNT);
        let (no, before) = sanctions::find(connection, id).await?.ok_or_else(unknown)?;
        sanctioned = Some(SanctionedAccount { no, before });
    }
    let cleared_before = match sanctioned_id.or(case.author_id.as_ref()) {
        Some(account) => store::find_cleared_at(connection, account).await?,
        None => None,
    };
    Ok(CheckedDecision { case, measures, open, folded, hidden, sanctioned, cleared_before, decided_at })
}

impl CheckedDecision {
    /// Writes everything but the messages and the audit entry.
    async fn write(
        self,
        state: &AppState,
        connection: &mut PgConnection,
        audit_reason: &AuditReason,
    ) -> Result<DecisionRecord, Refusal> {
        let closed = self.close_cases(state, connection, audit_reason).await?;
        let Self { case, measures, open, folded, hidden, sanctioned, cleared_before, decided_at } = self;
        let Measures { outcome, sanction, rollback, reply, .. } = measures;
        let ClosedCases { case_no, cases, held, lifted } = closed;
        let operator = &audit_reason.operator;
        let change = match (sanction, sanctioned) {
            (Some(sanction), Some(account)) => {
                Some(apply_sanction(state, connection, operator, sanction, account).await?)
            }
            _ => lifted.map(|changed| SanctionChange { kind: ChangeKind::Unshadow, changed }),
        };
        let rollback = match rollback {
            Some(CheckedRollback { filter, reason_class }) => {
                Some(begin_in_transaction(state, connection, &filter, audit_reason, reason_class).await?)
            }
            None => None,
        };
        if let Some(reply) = &reply {
            store::save_reply(connection, &cases, reply).await?;
        }
        let sanction = change.as_ref().map(|change| RecordedSanction {
            account: change.changed.no,
            kind: change.kind,
            cleared_before,
        });
        let decision = CaseDecision {
            id: clock::new_id("decision"),
            also_closed: open.into_iter().filter(|id| *id != case.id).collect(),
            case: case.id,
            outcome: outcome.name().to_owned(),
            hidden,
            sanctions: change.map(|SanctionChange { changed, .. }| changed.into()),
            rollback,
            reply,
            decided_at,
            undo_until: decided_at + UNDO_TIME,
            undone_at: None,
            kept: Vec::new(),
        };
        let operator = operator.clone();
        let record = DecisionRecord { decision, operator, case_no, cases, folded, held, sanction };
        store::insert(connection, &record).await?;
        Ok(record)
    }

    async fn close_cases(
        &self,
        state: &AppState,
        connection: &mut PgConnection,
        audit_reason: &AuditReason,
    ) -> Result<ClosedCases, Refusal> {
        let mut closed = ClosedCases { case_no: 0, cases: Vec::new(), held: Vec::new(), lifted: None };
        for id in &self.open {
            let outcome = self.measures.outcome;
            let one = close_in_transaction(state, connection, audit_reason, id, outcome).await?;
            let ClosedCase { no, held, lifted, .. } = one.ok_or(DecisionRefusal::CaseClosed)?;
            if *id == self.case.id {
                closed.case_no = no;
            }
            closed.cases.push(no);
            closed.held.extend(held);
            closed.lifted = closed.lifted.or(lifted);
        }
        Ok(closed)
    }
}

/// Applies the sanction of a decision.
async fn apply_sanction(
    state: &AppState,
    connection: &mut PgConnection,
    operator: &str,
    CheckedSanction { account_id, kind, sanction }: CheckedSanction,
    SanctionedAccount { no, before }: SanctionedAccount,
) -> Result<SanctionChange, Refusal> {
    let applied = change_in_transaction(state, connection, operator, no, &sanction, &before).await?;
    // As it is stored, which has no nanoseconds.
    let stored = sanctions::find(connection, &account_id).await?;
    let after = stored.map_or(applied, |(_, after)| after);
    Ok(SanctionChange { kind, changed: ChangedSanctions { no, id: account_id, before, after } })
}

impl From<ChangedSanctions> for DecidedSanctions {
    fn from(ChangedSanctions { id, before, after, .. }: ChangedSanctions) -> Self {
        Self { agent_id: id, before, after }
    }
}
