//! The control log: what instances must know at once and the public must not see.

use chrono::TimeDelta;
use sqlx::PgConnection;

use super::store;

/// Closes the gate for the rest of the transaction. Whoever changes what the gate checks does this first.
///
/// # Errors
/// When the database does not answer.
pub async fn close_gate(connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    store::lock_head(connection, TimeDelta::zero()).await.map(|_| ())
}

/// Tells every instance that an agent's key has changed. The gate must be closed.
///
/// # Errors
/// When the database does not answer.
pub async fn key_changed(
    connection: &mut PgConnection,
    agent: i64,
    offset: TimeDelta,
) -> Result<(), sqlx::Error> {
    store::append_key_changed(connection, agent, offset).await
}
