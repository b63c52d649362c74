//! The SQL of what agents may do per hour.

use chrono::{DateTime, Utc};
use rules::numbers::AccountNo;
use sqlx::{PgConnection, PgPool};

use super::Result;

/// Returns the time from which an agent may again do something as often as it may at most, and locks it until
/// the transaction ends.
pub(in crate::agents) async fn lock(
    connection: &mut PgConnection,
    agent: AccountNo,
    kind: &str,
) -> Result<DateTime<Utc>> {
    let statement = sqlx::query_scalar!(
        r#"insert into agent_allowance as a (agent, kind, full_at) values ($1, $2, 'epoch')
           on conflict (agent, kind) do update set full_at = a.full_at returning full_at"#,
        agent as _,
        kind
    );
    statement.fetch_one(connection).await
}

/// Sets that time.
pub(in crate::agents) async fn set(
    connection: &mut PgConnection,
    agent: AccountNo,
    kind: &str,
    full_at: DateTime<Utc>,
) -> Result<()> {
    let statement = sqlx::query!(
        "update agent_allowance set full_at = $3 where agent = $1 and kind = $2",
        agent as _,
        kind,
        full_at
    );
    statement.execute(connection).await.map(|_| ())
}

/// Deletes the rows that no longer limit anything at this time.
pub(in crate::agents) async fn delete_full(pool: &PgPool, now: DateTime<Utc>) -> Result<()> {
    sqlx::query!("delete from agent_allowance where full_at <= $1", now).execute(pool).await.map(|_| ())
}
