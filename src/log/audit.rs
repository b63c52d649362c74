//! The audit log: what operators did. An act is written together with what it did, or neither is.

use chrono::TimeDelta;
use serde_json::Value;
use sqlx::PgConnection;

use super::store;

/// Something that an operator did.
#[derive(Clone, Debug)]
pub struct AuditEntry {
    /// Who: `console`, the name of a key, or `command line`.
    pub operator: String,
    /// What, in a word, as in `ban` or `hide`.
    pub action: &'static str,
    /// To whom or what: an id.
    pub subject: String,
    pub reason: String,
    pub before: Value,
    pub after: Value,
}

/// Writes down an act, in the transaction that does it.
///
/// # Errors
/// When the database does not answer.
pub async fn record(
    connection: &mut PgConnection,
    entry: &AuditEntry,
    offset: TimeDelta,
) -> Result<(), sqlx::Error> {
    let now = store::now(connection, offset).await?;
    store::insert_audit_entries(connection, std::slice::from_ref(entry), now).await
}
