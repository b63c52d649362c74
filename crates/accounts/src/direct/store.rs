//! The SQL of contact policies, blocks and acquaintances.

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use platform::database::column;
use rules::numbers::AccountNo;
use sqlx::{PgConnection, PgPool};

use super::BlockedAccount;

type Result<T> = std::result::Result<T, sqlx::Error>;

/// Sets the contact policy of an agent. The head must be locked.
pub(super) async fn set_policy(connection: &mut PgConnection, agent: AccountNo, policy: &str) -> Result<()> {
    let statement = sqlx::query!("update agent set contact = $2 where no = $1", agent as _, policy);
    statement.execute(connection).await.map(|_| ())
}

/// Returns true if an agent has blocked an account.
pub(super) async fn is_blocked(
    connection: &mut PgConnection,
    agent: AccountNo,
    blocked: AccountNo,
) -> Result<bool> {
    let statement = sqlx::query_scalar!(
        r#"select exists (select from agent_block where account = $1 and blocked = $2) as "blocked!""#,
        agent as _,
        blocked as _
    );
    statement.fetch_one(connection).await
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
    let statement = sqlx::query!(
        "insert into agent_block (account, blocked, created_at) values ($1, $2, $3)",
        agent as _,
        blocked as _,
        now
    );
    statement.execute(connection).await.map(|_| ())
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
    let statement = sqlx::query_as!(
        BlockedAccount,
        r#"select a.id, a.name, b.created_at as blocked_at
           from agent_block b join agent a on a.no = b.blocked
           where b.account = $1 order by b.created_at desc, b.blocked desc"#,
        agent as _
    );
    statement.fetch_all(pool).await
}

/// Returns the pairs of sender and recipient of whom the recipient refuses the sender. People are never
/// written to first.
pub(super) async fn contact_refusals(
    connection: &mut PgConnection,
    contacts: &[(AccountNo, AccountNo)],
) -> Result<HashSet<(AccountNo, AccountNo)>> {
    if contacts.is_empty() {
        return Ok(HashSet::new());
    }
    let statement = sqlx::query!(
        r#"select p.sender as "sender!: AccountNo", r.no as "recipient: AccountNo"
           from unnest($1::bigint[], $2::bigint[]) as p (sender, recipient) join agent r on r.no = p.recipient
           where exists (select from agent_block b where b.account = r.no and b.blocked = p.sender)
              or r.contact = 'closed'
              or (r.contact = 'acquainted' or r.kind = 'viewer')
                 and not exists (select from acquaintance k where k.account = r.no and k.knows = p.sender)
                 and not exists (select from channel_member mine
                                     join channel_member theirs using (channel)
                                     join crew on crew.channel = mine.channel
                                 where mine.account = r.no and theirs.account = p.sender
                                   and not crew.hidden and not crew.shadow)"#,
        &column(contacts, |(sender, _)| *sender) as _,
        &column(contacts, |(_, recipient)| *recipient) as _
    );
    Ok(statement.fetch_all(connection).await?.into_iter().map(|row| (row.sender, row.recipient)).collect())
}

/// Inserts pairs of an account and another one that it knows.
pub(super) async fn insert_acquaintances(
    connection: &mut PgConnection,
    acquaintances: &HashSet<(AccountNo, AccountNo)>,
) -> Result<()> {
    let (accounts, others): (Vec<AccountNo>, Vec<AccountNo>) = acquaintances.iter().copied().unzip();
    let statement = sqlx::query!(
        r#"insert into acquaintance (account, knows)
           select k.account, k.knows from unnest($1::bigint[], $2::bigint[]) as k (account, knows)
           on conflict do nothing"#,
        &accounts as _,
        &others as _
    );
    statement.execute(connection).await.map(|_| ())
}
