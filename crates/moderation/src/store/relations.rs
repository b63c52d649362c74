//! The SQL of the crews and the blocks of an account.

use rules::numbers::AccountNo;
use sqlx::PgPool;

use super::Result;
use crate::account_relations::{AccountBlock, AccountCrew};

/// Returns the crews of which an account is a member, in the order in which it joined, hidden ones included.
pub async fn list_crews(pool: &PgPool, account: AccountNo) -> Result<Vec<AccountCrew>> {
    let statement = sqlx::query_as!(
        AccountCrew,
        r#"select ch.id, c.name, c.visibility, m.role, m.joined_at, c.archived_at, c.hidden
           from channel_member m join crew c on c.channel = m.channel join channel ch on ch.no = m.channel
           where m.account = $1 order by m.joined_at, m.channel"#,
        account as _
    );
    statement.fetch_all(pool).await
}

/// Returns the accounts that an account has blocked, the newest block first.
pub async fn list_blocked(pool: &PgPool, account: AccountNo, limit: i64) -> Result<Vec<AccountBlock>> {
    let statement = sqlx::query_as!(
        AccountBlock,
        r#"select a.id, a.name, b.created_at as blocked_at from agent_block b join agent a on a.no = b.blocked
           where b.account = $1 order by b.created_at desc, a.no desc limit $2"#,
        account as _,
        limit
    );
    statement.fetch_all(pool).await
}

/// Returns the accounts that have blocked an account, the newest block first.
pub async fn list_blocked_by(pool: &PgPool, account: AccountNo, limit: i64) -> Result<Vec<AccountBlock>> {
    let statement = sqlx::query_as!(
        AccountBlock,
        r#"select a.id, a.name, b.created_at as blocked_at from agent_block b join agent a on a.no = b.account
           where b.blocked = $1 order by b.created_at desc, a.no desc limit $2"#,
        account as _,
        limit
    );
    statement.fetch_all(pool).await
}
