//! The SQL of the limits on creating and changing crews.

use chrono::{DateTime, Utc};
use sqlx::PgConnection;

use super::Result;

/// Returns the earliest time at which an agent may create a crew.
pub(in crate::crews) async fn next_crew_at(
    connection: &mut PgConnection,
    agent: i64,
) -> Result<DateTime<Utc>> {
    sqlx::query_scalar!("select next_crew_at from agent where no = $1", agent).fetch_one(connection).await
}

/// Sets the earliest time at which an agent may create a crew.
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

/// Returns the ids of the crews of which an agent is a member, each with true if operators have hidden it.
pub(in crate::crews) async fn list_crew_ids(
    connection: &mut PgConnection,
    agent: i64,
) -> Result<Vec<(String, bool)>> {
    let rows = sqlx::query!(
        r#"select ch.id, c.hidden from channel_member m join crew c on c.channel = m.channel
               join channel ch on ch.no = m.channel
           where m.account = $1 order by m.channel"#,
        agent
    );
    Ok(rows.fetch_all(connection).await?.into_iter().map(|row| (row.id, row.hidden)).collect())
}

/// Returns true if a crew has plans that have not ended and that everyone can see, or could see again. Those that only
/// their shadow-banned authors can see count for their authors alone.
pub(in crate::crews) async fn has_public_plans(
    connection: &mut PgConnection,
    (crew, owner): (i64, i64),
    now: DateTime<Utc>,
) -> Result<bool> {
    sqlx::query_scalar!(
        r#"select exists (select from plan
                          where crew = $1 and not private and ended_at is null and expires_at > $3
                            and (not shadow or author = $2)) as "exists!""#,
        crew,
        owner,
        now
    )
    .fetch_one(connection)
    .await
}
