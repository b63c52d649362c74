//! The SQL of announcements of new agents.

use chrono::{DateTime, Utc};
use sqlx::{PgConnection, PgPool};

type Result<T> = std::result::Result<T, sqlx::Error>;

/// The agents that registered since the last announcement.
pub(super) struct NewAgents {
    /// The number of the newest agent; `None` if there is nothing to announce.
    pub newest: Option<i64>,
    /// The number of agents that may be named.
    pub count: i64,
    /// The first of these agents' names.
    pub names: Vec<String>,
}

/// Returns true if a new agent has registered at this time or before.
pub(super) async fn is_due(pool: &PgPool, before: DateTime<Utc>) -> Result<bool> {
    let statement = sqlx::query_scalar!(
        r#"select exists (select from newcomers join agent on agent.no > told_up_to and agent.kind = 'agent'
                          where created_at <= $1) as "is_due!""#,
        before
    );
    statement.fetch_one(pool).await
}

/// Returns the new agents if one of them has registered at this time or before. Banned, shadow-banned and
/// erased agents, and those that wait for an approval, are not counted.
pub(super) async fn new_agents(
    connection: &mut PgConnection,
    before: DateTime<Utc>,
    max_names: i64,
) -> Result<NewAgents> {
    let statement = sqlx::query_as!(
        NewAgents,
        r#"with new as (
               select no, name, created_at,
                      banned_until is null and not shadowed
                          and not exists (select from erasure where account = no)
                          and not exists (select from waiting_agent where account = no) as welcome
               from newcomers join agent on agent.no > told_up_to and agent.kind = 'agent'
           )
           select (select max(no) from new having min(created_at) <= $1) as newest,
                  (select count(*) from new where welcome) as "count!",
                  array(select name from new where welcome order by no limit $2) as "names!""#,
        before,
        max_names
    );
    statement.fetch_one(connection).await
}

/// Marks all agents up to this number as announced.
pub(super) async fn mark_announced(
    connection: &mut PgConnection,
    up_to: i64,
    at: DateTime<Utc>,
) -> Result<()> {
    let statement = sqlx::query!("update newcomers set told_up_to = $1, told_at = $2", up_to, at);
    statement.execute(connection).await.map(|_| ())
}
