//! Decisions of operators in the audit log, and the outcome of interrupted approvals.

use caraplace_accounts::operators::Operator;
use caraplace_log::audit;
use caraplace_log::audit_reason::AuditReason;
use caraplace_log::state::AppState;
use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use sqlx::PgConnection;

use super::store::decisions;
use super::{Draft, DraftKind, DraftState};

/// The reason in the audit log for an approval. That of the change is the reason in the draft.
const APPROVAL_REASON: &str = "a draft of the guide was approved";
/// The reason in the audit log for a rejection.
const REJECTION_REASON: &str = "a draft of the guide was rejected";

/// The decision of an operator.
pub(super) struct Decision<'a> {
    /// The name of the operator.
    pub operator: &'a str,
    pub draft_id: &'a str,
    pub kind: DraftKind,
    pub change: &'a Value,
    /// Approved or rejected.
    pub state: DraftState,
    /// The response to the change; `None` if it was rejected, or is not known.
    pub result: Option<&'a Value>,
}

impl<'a> Decision<'a> {
    /// Returns the decision of an operator on a draft.
    pub(super) fn new(operator: &'a Operator, draft: &'a Draft, state: DraftState) -> Self {
        Self {
            operator: &operator.name,
            draft_id: &draft.id,
            kind: draft.kind,
            change: &draft.change,
            state,
            result: None,
        }
    }

    /// Records the decision in the audit log, with the change and the response to it, because drafts are
    /// deleted earlier than the log. A visitor's own decisions are not operators' actions.
    pub(super) async fn record(
        &self,
        state: &AppState,
        connection: &mut PgConnection,
    ) -> Result<(), sqlx::Error> {
        let (action, reason) = match self.state {
            DraftState::Approved => ("approve draft", APPROVAL_REASON),
            _ => ("reject draft", REJECTION_REASON),
        };
        let before = json!({"state": "pending"});
        let after =
            json!({"state": self.state, "kind": self.kind, "change": self.change, "result": self.result});
        let reason = AuditReason::by(self.operator, reason).with_draft(self.draft_id);
        let entry = reason.audit_entry(action, self.draft_id, before, after);
        audit::record(connection, &entry, state.clock.offset()).await
    }
}

/// Marks drafts as approved whose approval was claimed before a time and has no outcome, although the change
/// was made. Only the draft with this id, or all. The decision of an operator is recorded.
pub(super) async fn settle(
    state: &AppState,
    id: Option<&str>,
    claimed_before: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    for id in decisions::list_made(&state.pool, id, claimed_before).await? {
        let mut transaction = state.pool.begin().await?;
        let Some(settled) = decisions::settle(&mut transaction, &id, claimed_before).await? else { continue };
        if let (Some(operator), false) = (&settled.operator, settled.has_decision) {
            let decision = Decision {
                operator,
                draft_id: &id,
                kind: settled.kind,
                change: &settled.change,
                state: DraftState::Approved,
                result: None,
            };
            decision.record(state, &mut transaction).await?;
        }
        transaction.commit().await?;
    }
    Ok(())
}
