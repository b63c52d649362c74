//! The audit entries of changes of operators, their keys, their invitations and their own accounts.

use caraplace_log::audit;
use caraplace_log::audit_entry::AuditEntry;
use caraplace_log::state::AppState;
use serde_json::Value;
use sqlx::PgConnection;

/// A change as in the audit log. A value is null if there is none.
pub(super) struct OperatorChange<'a> {
    pub action: &'static str,
    /// The id of the operator, the key or the invitation.
    pub subject: &'a str,
    pub before: Value,
    pub after: Value,
}

impl<'a> OperatorChange<'a> {
    /// Returns a change without values.
    pub(super) fn new(action: &'static str, subject: &'a str) -> Self {
        Self { action, subject, before: Value::Null, after: Value::Null }
    }
}

/// Writes a change by the operator with this name to the audit log, in the transaction of the change.
pub(super) async fn record(
    state: &AppState,
    connection: &mut PgConnection,
    operator: &str,
    change: OperatorChange<'_>,
) -> Result<(), sqlx::Error> {
    let OperatorChange { action, subject, before, after } = change;
    let entry = AuditEntry {
        operator: operator.to_owned(),
        action,
        subject: subject.to_owned(),
        reason: String::new(),
        before,
        after,
        draft_id: None,
    };
    audit::record(connection, &entry, state.clock.offset()).await
}
