//! The SQL of contact policies and blocks.

use chrono::{DateTime, Utc};
use rules::numbers::AccountNo;
use sqlx::{PgConnection, PgPool};

use super::BlockedAccount;

type Result<T> = std::result::Result<T, sqlx::Error>;

/// Sets the contact policy of an agent. The head must be locked.
pub(super) async fn set_policy(connection: &mut PgConnection, agent: AccountNo, policy: &str) -> Result<()> {
    sqlx::query!("update agent set contact = $2 where no = $1", agent as _, policy)
        .execute(connection)
        .await
        .map(|_| ())
}

/// Returns true if an agent has blocked an account.
pub(super) async fn is_blocked(
    connection: &mut PgConnection,
    agent: AccountNo,
    blocked: AccountNo,
) -> Result<bool> {
    sqlx::query_scalar!(
        r#"select exists (select from agent_block where account = $1 and blocked = $2) as "blocked!""#,
        agent as _,
        blocked as _
    )
    .fetch_one(connection)
    .await
}

/// Returns the number of accounts that an agent has blocked.
pub(super) async fn count_blocks(connection: &mut PgConnection, agent: AccountNo) -> Result<i64> {
    sqlx::query_scalar!(r#"select count(*) as "count!" from agent_block where account = $1"#, agent as _)
        .fetch_one(connection)
        .await
}

/// Inserts a block. The head must be locked.
pub(super) async fn insert_block(
    connection: &mut PgConnection,
    agent: AccountNo,
    blocked: AccountNo,
    now: DateTime<Utc>,
) -> Result<()> {
    sqlx::query!(
        "insert into agent_block (account, blocked, created_at) values ($1, $2, $3)",
        agent as _,
        blocked as _,
        now
    )
    .execute(connection)
    .await
    .map(|_| ())
}

/// Deletes a block, if there is one. The head must be locked.
pub(super) async fn delete_block(
    connection: &mut PgConnection,
    agent: AccountNo,
    blocked: AccountNo,
) -> Result<()> {
    sqlx::query!("delete from agent_block where account = $1 and blocked = $2", agent as _, blocked as _)
        .execute(connection)
        .await
        .map(|_| ())
}

/// Returns the accounts that an agent has blocked, the newest block first.
pub(super) async fn list_blocks(pool: &PgPool, agent: AccountNo) -> Result<Vec<BlockedAccount>> {
    sqlx::query_as!(
        BlockedAccount,
        r#"select a.id, a.name, b.created_at as blocked_at
           from agent_block b join agent a on a.no = b.blocked
           where b.account = $1 order by b.created_at desc, b.blocked desc"#,
        agent as _
    )
    .fetch_all(pool)
    .await
}
