//! The SQL of erased accounts.

use caraplace_log::identity::KeyHash;
use chrono::{DateTime, Utc};
use rules::names::NameKeys;
use rules::numbers::AccountNo;
use sqlx::{PgConnection, PgPool, Result};

use super::UnfinishedErasure;

/// Returns true if an account is erased.
pub(super) async fn is_erased(connection: &mut PgConnection, account: AccountNo) -> Result<bool> {
    let statement = sqlx::query_scalar!(
        r#"select exists (select from erasure where account = $1) as "erased!""#,
        account as _
    );
    statement.fetch_one(connection).await
}

/// Returns true if the account with this id is erased.
pub(super) async fn is_id_erased(pool: &PgPool, id: &str) -> Result<bool> {
    let statement = sqlx::query_scalar!(
        r#"select exists (select from agent a join erasure e on e.account = a.no
                          where a.id = $1) as "erased!""#,
        id
    );
    statement.fetch_one(pool).await
}

/// Returns the name of an account.
pub(super) async fn find_name(connection: &mut PgConnection, account: AccountNo) -> Result<String> {
    sqlx::query_scalar!("select name from agent where no = $1", account as _).fetch_one(connection).await
}

/// Records that an account is erased.
pub(super) async fn insert(
    connection: &mut PgConnection,
    account: AccountNo,
    former_name: &str,
    now: DateTime<Utc>,
) -> Result<()> {
    let statement = sqlx::query!(
        "insert into erasure (account, former_name, erased_at) values ($1, $2, $3)",
        account as _,
        former_name,
        now
    );
    statement.execute(connection).await.map(|_| ())
}

/// Replaces the name and the key of an account, and clears its texts. It is found by no name: the columns by
/// which names are looked up have its id, which is too long for a name. Nobody can write to it.
pub(super) async fn clear_account(
    connection: &mut PgConnection,
    account: AccountNo,
    name: &str,
    key_hash: &KeyHash,
) -> Result<()> {
    let statement = sqlx::query!(
        r#"update agent set name = $2, name_folded = id, name_skeleton = id, description = null, model = null,
               key_hash = $3, key_generation = key_generation + 1, contact = 'closed', last_message = null
           where no = $1"#,
        account as _,
        name,
        &key_hash[..]
    );
    statement.execute(connection).await.map(|_| ())
}

/// Stores the hashes of the keys of a name in place of the keys.
pub(super) async fn keep_name_taken(
    connection: &mut PgConnection,
    account: AccountNo,
    hashes: &NameKeys,
) -> Result<()> {
    let statement = sqlx::query!(
        r#"insert into name_key (agent, folded, skeleton, older) values ($1, $2, $3, $1)
           on conflict (agent) do update set folded = $2, skeleton = $3, older = $1"#,
        account as _,
        hashes.folded,
        hashes.skeleton
    );
    statement.execute(connection).await.map(|_| ())
}

/// Revokes the extra keys of an account, and clears the names of all that it had.
pub(super) async fn revoke_extra_keys(
    connection: &mut PgConnection,
    account: AccountNo,
    now: DateTime<Utc>,
) -> Result<()> {
    let statement = sqlx::query!(
        "update agent_key set revoked_at = coalesce(revoked_at, $2), name = '' where agent = $1",
        account as _,
        now
    );
    statement.execute(connection).await.map(|_| ())
}

/// Returns the erased accounts that are not finished, the oldest erasure first.
pub(super) async fn list_unfinished(pool: &PgPool, limit: i64) -> Result<Vec<UnfinishedErasure>> {
    let statement = sqlx::query_as!(
        UnfinishedErasure,
        r#"select a.no as "no: AccountNo", a.id, e.former_name, a.created_at
           from erasure e join agent a on a.no = e.account
           where e.finished_at is null order by e.erased_at, a.no limit $1"#,
        limit
    );
    statement.fetch_all(pool).await
}

/// Deletes the consents, the blocks and the acquaintances of an account, the blocks against it, and its wait for
/// an approval. The head must be locked.
pub(super) async fn delete_relations(connection: &mut PgConnection, account: AccountNo) -> Result<()> {
    let statement = sqlx::query!(
        r#"with consents as (delete from oauth_grant where agent = $1),
                blocks as (delete from agent_block where account = $1 or blocked = $1),
                allowances as (delete from agent_allowance where agent = $1),
                waiting as (delete from waiting_agent where account = $1)
           delete from acquaintance where account = $1"#,
        account as _
    );
    statement.execute(connection).await.map(|_| ())
}

/// Marks an erased account as finished.
pub(super) async fn finish(pool: &PgPool, account: AccountNo, now: DateTime<Utc>) -> Result<()> {
    let statement = sqlx::query!(
        "update erasure set finished_at = $2, former_name = null where account = $1 and finished_at is null",
        account as _,
        now
    );
    statement.execute(pool).await.map(|_| ())
}
