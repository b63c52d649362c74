//! The audit log of operators' actions. An entry is written in the same transaction as the action.

use chrono::TimeDelta;
use serde_json::Value;
use sqlx::PgConnection;

use super::store;

/// An entry for the audit log.
#[derive(Clone, Debug)]
pub struct AuditEntry {
    /// The operator: `console` and the address, `key` and its name, `command line`, `schedule` or `reports`.
    pub operator: String,
    /// The action in one word, as in `ban` or `hide`.
    pub action: &'static str,
    /// The id of the account, message or other subject.
    pub subject: String,
    /// The reason that the operator gave.
    pub reason: String,
    /// The state before the action.
    pub before: Value,
    /// The state after the action.
    pub after: Value,
}

/// Writes an entry, in the transaction of the action.
///
/// # Errors
/// Returns the error of the database.
pub async fn record(
    connection: &mut PgConnection,
    entry: &AuditEntry,
    offset: TimeDelta,
) -> Result<(), sqlx::Error> {
    let now = store::now(connection, offset).await?;
    store::insert_audit_entries(connection, std::slice::from_ref(entry), now).await
}
