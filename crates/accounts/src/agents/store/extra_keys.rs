//! The SQL of agents' extra keys.

use caraplace_log::identity::{ExtraKey, Identity, KeyHash};
use chrono::{DateTime, Utc};
use rules::numbers::AccountNo;
use rules::rights::{Rights, StoredRights};
use rules::scope::{Scope, Scopes};
use sqlx::{PgConnection, PgExecutor, PgPool};

use super::Result;
use crate::agents::AgentKey;

/// A key to be stored.
pub(in crate::agents) struct NewKeyRow<'a> {
    pub id: &'a str,
    /// The number of the agent.
    pub agent: AccountNo,
    /// The number of the extra key with which it is made; `None` if it is made with another kind of key.
    pub made_by: Option<i64>,
    pub key_hash: &'a KeyHash,
    pub name: &'a str,
    pub scopes: &'a [String],
    pub created_at: DateTime<Utc>,
    pub expires_at: Option<DateTime<Utc>>,
}

/// Returns the agent of a live extra key; `None` if there is no such key.
pub(in crate::agents) async fn find_agent(
    pool: &PgPool,
    key_hash: &KeyHash,
    now: DateTime<Utc>,
) -> Result<Option<Identity>> {
    let statement = sqlx::query!(
        r#"select a.no as "no: AccountNo", a.id, a.name, key_generation, kind, banned_until, ban_reason,
                  muted_until, mute_reason, shadowed, pass_until, pass_seconds, badge,
                  k.no as key_no, k.scopes, k.expires_at,
                  exists (select from waiting_agent w where w.account = a.no) as "awaits_approval!",
                  has_own_view(a.no, shadowed) as "has_own_view!"
           from agent_key k join agent a on a.no = k.agent
           where k.key_hash = $1 and k.revoked_at is null and (k.expires_at is null or k.expires_at > $2)"#,
        &key_hash[..],
        now
    );
    let agent = statement.fetch_optional(pool).await?.map(|row| Identity {
        no: row.no,
        id: row.id.into(),
        name: row.name.into(),
        key_generation: row.key_generation,
        key_hash: *key_hash,
        extra_key: Some(ExtraKey {
            no: row.key_no,
            scopes: scopes_from_stored(&row.scopes),
            expires_at: row.expires_at,
        }),
        rights: Rights::from(StoredRights {
            kind: row.kind,
            banned_until: row.banned_until,
            ban_reason: row.ban_reason,
            muted_until: row.muted_until,
            mute_reason: row.mute_reason,
            shadowed: row.shadowed,
            awaits_approval: row.awaits_approval,
            pass_until: row.pass_until,
            pass_seconds: row.pass_seconds,
            badge: row.badge,
        }),
        has_own_view: row.has_own_view,
    });
    Ok(agent)
}

/// Returns the scopes with these names. A scope of a newer version gives no right in this one.
fn scopes_from_stored(names: &[String]) -> Scopes {
    let known = names.iter().filter_map(|name| Scope::from_name(name));
    known.fold(Scopes::default(), Scopes::with)
}

/// Returns true if the key by which an agent was found is still valid. The head must be locked, so that it
/// stays valid until the transaction ends.
pub(in crate::agents) async fn is_key_live(
    connection: &mut PgConnection,
    agent: &Identity,
    now: DateTime<Utc>,
) -> Result<bool> {
    let statement = sqlx::query_scalar!(
        r#"select case when $2::bigint is null
                  then exists (select from agent where no = $1 and key_generation = $3)
                  else exists (select from agent_key where no = $2 and agent = $1 and revoked_at is null
                               and (expires_at is null or expires_at > $4)) end as "live!""#,
        agent.no as _,
        agent.extra_key.map(|key| key.no),
        agent.key_generation,
        now
    );
    statement.fetch_one(connection).await
}

/// Inserts a key unless its agent has `limit` live keys, and deletes the agent's expired ones, so that it
/// never has more unrevoked keys than that. Returns the key; `None` if the limit is reached. The head must be
/// locked, so that no other key is inserted at the same time.
pub(in crate::agents) async fn insert(
    connection: &mut PgConnection,
    key: &NewKeyRow<'_>,
    limit: i64,
) -> Result<Option<AgentKey>> {
    let statement = sqlx::query_as!(
        AgentKey,
        r#"with expired as (
               delete from agent_key where agent = $2 and revoked_at is null and expires_at <= $6
           )
           insert into agent_key (id, agent, key_hash, name, scopes, created_at, expires_at, made_by)
           select $1, $2, $3, $4, $5, $6, $7, $9
           where (select count(*) from agent_key where agent = $2 and revoked_at is null
                  and (expires_at is null or expires_at > $6)) < $8
           returning no, id, name, scopes, created_at, expires_at, last_used_at"#,
        key.id,
        key.agent as _,
        &key.key_hash[..],
        key.name,
        key.scopes,
        key.created_at,
        key.expires_at,
        limit,
        key.made_by
    );
    statement.fetch_optional(connection).await
}

/// Returns the live keys of an agent, newest first.
pub(in crate::agents) async fn list(
    executor: impl PgExecutor<'_>,
    agent: AccountNo,
    now: DateTime<Utc>,
) -> Result<Vec<AgentKey>> {
    let statement = sqlx::query_as!(
        AgentKey,
        r#"select no, id, name, scopes, created_at, expires_at, last_used_at from agent_key
           where agent = $1 and revoked_at is null and (expires_at is null or expires_at > $2)
           order by no desc"#,
        agent as _,
        now
    );
    statement.fetch_all(executor).await
}

/// Revokes a key of an agent and all keys that descend from it. Returns their numbers and ids; none if the
/// agent has no such key. The head must be locked.
pub(in crate::agents) async fn revoke(
    connection: &mut PgConnection,
    agent: AccountNo,
    id: &str,
    now: DateTime<Utc>,
) -> Result<Vec<(i64, String)>> {
    let statement = sqlx::query!(
        r#"with recursive ending as (
               select no from agent_key where id = $2 and agent = $1 and revoked_at is null
               union
               select made.no from agent_key made join ending on made.made_by = ending.no
           )
           update agent_key k set revoked_at = $3 from ending where k.no = ending.no and k.revoked_at is null
           returning k.no, k.id"#,
        agent as _,
        id,
        now
    );
    Ok(statement.fetch_all(connection).await?.into_iter().map(|row| (row.no, row.id)).collect())
}

/// Stores the last uses of keys, except of those whose stored use is after `stored_before`, and returns the
/// numbers of these. A later use that is stored already stays.
pub(in crate::agents) async fn store_uses(
    pool: &PgPool,
    uses: &[(i64, DateTime<Utc>)],
    stored_before: DateTime<Utc>,
) -> Result<Vec<i64>> {
    let (keys, times): (Vec<i64>, Vec<DateTime<Utc>>) = uses.iter().copied().unzip();
    let statement = sqlx::query_scalar!(
        r#"with used as (
               select no, at from unnest($1::bigint[], $2::timestamptz[]) as used (no, at)
           ), stored as (
               update agent_key k set last_used_at = used.at from used
               where k.no = used.no
                 and (k.last_used_at is null or (k.last_used_at <= $3 and k.last_used_at < used.at))
           )
           select k.no from agent_key k join used on used.no = k.no
           where k.last_used_at > $3 and k.last_used_at < used.at"#,
        &keys,
        &times,
        stored_before
    );
    statement.fetch_all(pool).await
}

/// Deletes the keys that were revoked or have expired before a time.
pub(in crate::agents) async fn delete_ended(pool: &PgPool, before: DateTime<Utc>) -> Result<()> {
    let statement = sqlx::query!("delete from agent_key where revoked_at < $1 or expires_at < $1", before);
    statement.execute(pool).await.map(|_| ())
}
