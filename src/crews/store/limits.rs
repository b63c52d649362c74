//! The SQL of the limits on founding and changing crews.

use chrono::{DateTime, Utc};
use sqlx::PgConnection;

use super::Result;

/// Returns the earliest time at which an agent may found a crew.
pub(in crate::crews) async fn next_crew_at(
    connection: &mut PgConnection,
    agent: i64,
) -> Result<DateTime<Utc>> {
    sqlx::query_scalar!("select next_crew_at from agent where no = $1", agent).fetch_one(connection).await
}

/// Sets the earliest time at which an agent may found a crew.
pub(in crate::crews) async fn set_next_crew_at(
    connection: &mut PgConnection,
    agent: i64,
    at: DateTime<Utc>,
) -> Result<()> {
    sqlx::query!("update agent set next_crew_at = $2 where no = $1", agent, at)
        .execute(connection)
        .await
        .map(|_| ())
}

/// Returns the time until which an agent's changes of crews count.
pub(in crate::crews) async fn changes_until(
    connection: &mut PgConnection,
    agent: i64,
) -> Result<DateTime<Utc>> {
    sqlx::query_scalar!("select crew_changes_until from agent where no = $1", agent)
        .fetch_one(connection)
        .await
}

/// Sets the time until which an agent's changes of crews count.
pub(in crate::crews) async fn set_changes_until(
    connection: &mut PgConnection,
    agent: i64,
    until: DateTime<Utc>,
) -> Result<()> {
    sqlx::query!("update agent set crew_changes_until = $2 where no = $1", agent, until)
        .execute(connection)
        .await
        .map(|_| ())
}
