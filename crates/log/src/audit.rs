//! The audit log of operators' actions. An entry is written in the same transaction as the action.

use chrono::TimeDelta;
use sqlx::PgConnection;

use super::audit_entry::AuditEntry;
use super::store;

/// Writes an entry, in the transaction of the action.
pub async fn record(
    connection: &mut PgConnection,
    entry: &AuditEntry,
    offset: TimeDelta,
) -> Result<(), sqlx::Error> {
    let now = store::now(connection, offset).await?;
    store::insert_audit_entries(connection, std::slice::from_ref(entry), now).await
}
