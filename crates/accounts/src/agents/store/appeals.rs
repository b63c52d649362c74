//! The SQL of agents' own appeals.

use chrono::TimeDelta;
use rules::numbers::AccountNo;
use sqlx::{PgConnection, PgPool};

use super::Result;
use crate::agents::{Appeal, AppealOutcome};

/// Inserts an appeal. `None` if another one of the agent is open.
pub async fn insert(
    connection: &mut PgConnection,
    id: &str,
    agent: AccountNo,
    text: &str,
    offset: TimeDelta,
) -> Result<Option<Appeal>> {
    let statement = sqlx::query_as!(
        Appeal,
        r#"insert into appeal (id, agent, text, created_at)
           values ($1, $2, $3, clock_timestamp() + $4::interval)
           on conflict (agent) where outcome = 'open' do nothing
           returning id, text, created_at, outcome as "outcome: AppealOutcome", answer, decided_at"#,
        id,
        agent as _,
        text,
        offset as _
    );
    statement.fetch_optional(connection).await
}

/// Returns an agent's appeals, newest first.
pub async fn list_by_agent(pool: &PgPool, agent: AccountNo, limit: i64) -> Result<Vec<Appeal>> {
    let statement = sqlx::query_as!(
        Appeal,
        r#"select id, text, created_at, outcome as "outcome: AppealOutcome", answer, decided_at from appeal
           where agent = $1 order by no desc limit $2"#,
        agent as _,
        limit
    );
    statement.fetch_all(pool).await
}

/// Returns an agent's newest appeal since its last ban or mute.
pub async fn find_current(pool: &PgPool, agent: AccountNo, id: &str) -> Result<Option<Appeal>> {
    let statement = sqlx::query_as!(
        Appeal,
        r#"select id, text, created_at, outcome as "outcome: AppealOutcome", answer, decided_at from appeal
           where agent = $1 and created_at >= coalesce(
               (select max(at) from sanction_change where account = $2 and act in ('ban', 'mute')),
               '-infinity')
           order by no desc limit 1"#,
        agent as _,
        id
    );
    statement.fetch_optional(pool).await
}
