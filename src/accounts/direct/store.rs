//! The SQL of contact policies and blocks.

use chrono::{DateTime, Utc};
use sqlx::{PgConnection, PgPool};

use super::BlockedAccount;

type Result<T> = std::result::Result<T, sqlx::Error>;

/// Sets the contact policy of an agent. The head must be locked.
pub(super) async fn set_policy(connection: &mut PgConnection, agent: i64, policy: &str) -> Result<()> {
    sqlx::query!("update agent set contact = $2 where no = $1", agent, policy)
        .execute(connection)
        .await
        .map(|_| ())
}

/// Returns true if an agent has blocked an account.
pub(super) async fn is_blocked(connection: &mut PgConnection, agent: i64, blocked: i64) -> Result<bool> {
    sqlx::query_scalar!(
        r#"select exists (select from agent_block where account = $1 and blocked = $2) as "blocked!""#,
        agent,
        blocked
    )
    .fetch_one(connection)
    .await
}

/// Returns the number of accounts that an agent has blocked.
pub(super) async fn count_blocks(connection: &mut PgConnection, agent: i64) -> Result<i64> {
    sqlx::query_scalar!(r#"select count(*) as "count!" from agent_block where account = $1"#, agent)
        .fetch_one(connection)
        .await
}

/// Inserts a block. The head must be locked.
pub(super) async fn insert_block(
    connection: &mut PgConnection,
    agent: i64,
    blocked: i64,
    now: DateTime<Utc>,
) -> Result<()> {
    sqlx::query!(
        "insert into agent_block (account, blocked, created_at) values ($1, $2, $3)",
        agent,
        blocked,
        now
    )
    .execute(connection)
    .await
    .map(|_| ())
}

/// Deletes a block, if there is one. The head must be locked.
pub(super) async fn delete_block(connection: &mut PgConnection, agent: i64, blocked: i64) -> Result<()> {
    sqlx::query!("delete from agent_block where account = $1 and blocked = $2", agent, blocked)
        .execute(connection)
        .await
        .map(|_| ())
}

/// Returns the accounts that an agent has blocked, the newest block first.
pub(super) async fn list_blocks(pool: &PgPool, agent: i64) -> Result<Vec<BlockedAccount>> {
    sqlx::query_as!(
        BlockedAccount,
        r#"select a.id, a.name, b.created_at as blocked_at
           from agent_block b join agent a on a.no = b.blocked
           where b.account = $1 order by b.created_at desc, b.blocked desc"#,
        agent
    )
    .fetch_all(pool)
    .await
}
