//! The SQL of agents that wait for an approval.

use chrono::{DateTime, Utc};
use rules::numbers::AccountNo;
use sqlx::{PgConnection, PgPool};

use super::Result;

/// An agent that has waited for an approval.
pub(in crate::registration) struct WaitingRow {
    pub account: AccountNo,
    pub since: DateTime<Utc>,
}

/// Ends the wait of the agent with this id. `None` if it does not wait.
pub(in crate::registration) async fn take(
    connection: &mut PgConnection,
    id: &str,
) -> Result<Option<WaitingRow>> {
    let statement = sqlx::query_as!(
        WaitingRow,
        r#"delete from waiting_agent w using agent a where a.no = w.account and a.id = $1
           returning w.account as "account: AccountNo", w.since"#,
        id
    );
    statement.fetch_optional(connection).await
}

/// Returns the number of agents that wait and are not banned.
pub(in crate::registration) async fn count_waiting(pool: &PgPool, now: DateTime<Utc>) -> Result<i64> {
    let statement = sqlx::query_scalar!(
        r#"select count(*) as "count!" from waiting_agent w join agent a on a.no = w.account
           where coalesce(a.banned_until <= $1, true)"#,
        now
    );
    statement.fetch_one(pool).await
}
