//! The SQL of accounts: finds them by id, name and key, and replaces their keys.

use std::sync::Arc;

use caraplace_log::control;
use caraplace_log::control_entry::ControlEntry;
use caraplace_log::head_lock::HeadLock;
use caraplace_log::identity::{Identity, KeyHash};
use chrono::{DateTime, Utc};
use platform::clock::Clock;
use rules::numbers::AccountNo;
use rules::rights::{Rights, StoredRights};
use sqlx::{PgConnection, PgPool};

use super::{Result, extra_keys};
/// An account as it is stored.
struct AccountRow {
    no: AccountNo,
    id: Arc<str>,
    name: Arc<str>,
    key_generation: i32,
    key_hash: Vec<u8>,
    kind: String,
    banned_until: Option<DateTime<Utc>>,
    ban_reason: Option<String>,
    muted_until: Option<DateTime<Utc>>,
    mute_reason: Option<String>,
    shadowed: bool,
    pass_until: Option<DateTime<Utc>>,
    pass_seconds: Option<i32>,
    badge: Option<String>,
    has_own_view: bool,
    awaits_approval: bool,
}

impl AccountRow {
    fn into_identity(self) -> Option<Identity> {
        Some(Identity {
            no: self.no,
            id: self.id,
            name: self.name,
            key_generation: self.key_generation,
            key_hash: self.key_hash.try_into().ok()?,
            extra_key: None,
            rights: Rights::from(StoredRights {
                kind: self.kind,
                banned_until: self.banned_until,
                ban_reason: self.ban_reason,
                muted_until: self.muted_until,
                mute_reason: self.mute_reason,
                shadowed: self.shadowed,
                awaits_approval: self.awaits_approval,
                pass_until: self.pass_until,
                pass_seconds: self.pass_seconds,
                badge: self.badge,
            }),
            has_own_view: self.has_own_view,
        })
    }
}

/// Returns the id of the account with this id or this folded name, or `None` if there is none.
pub(in crate::agents) async fn find_id(pool: &PgPool, id: &str, folded: &str) -> Result<Option<String>> {
    sqlx::query_scalar!("select id from agent where id = $1 or name_folded = $2 limit 1", id, folded)
        .fetch_optional(pool)
        .await
}

/// Returns the name of an agent's contact policy, or `None` if there is no such agent.
pub(in crate::agents) async fn find_contact_policy(pool: &PgPool, no: AccountNo) -> Result<Option<String>> {
    sqlx::query_scalar!("select contact from agent where no = $1", no as _).fetch_optional(pool).await
}

/// Returns the agent or viewer with this key, or `None` if there is none.
pub(in crate::agents) async fn find_by_key(pool: &PgPool, key_hash: &KeyHash) -> Result<Option<Identity>> {
    let statement = sqlx::query_as!(
        AccountRow,
        r#"select no as "no: AccountNo", id as "id: _", name as "name: _", key_generation, key_hash, kind,
                  banned_until, ban_reason, muted_until, mute_reason, shadowed, pass_until, pass_seconds,
                  badge, has_own_view(no, shadowed) as "has_own_view!",
                  exists (select from waiting_agent w where w.account = agent.no) as "awaits_approval!"
           from agent where key_hash = $1 and kind <> 'operator'"#,
        &key_hash[..]
    );
    Ok(statement.fetch_optional(pool).await?.and_then(AccountRow::into_identity))
}

/// Returns the account with this id, or `None` if there is none.
pub(in crate::agents) async fn find_by_id(pool: &PgPool, id: &str) -> Result<Option<Identity>> {
    let statement = sqlx::query_as!(
        AccountRow,
        r#"select no as "no: AccountNo", id as "id: _", name as "name: _", key_generation, key_hash, kind,
                  banned_until, ban_reason, muted_until, mute_reason, shadowed, pass_until, pass_seconds,
                  badge, has_own_view(no, shadowed) as "has_own_view!",
                  exists (select from waiting_agent w where w.account = agent.no) as "awaits_approval!"
           from agent where id = $1"#,
        id
    );
    Ok(statement.fetch_optional(pool).await?.and_then(AccountRow::into_identity))
}

/// Replaces an agent's key when the transaction is committed, with the head locked. Returns the number of
/// live extra keys, which stay valid. Returns `None` if the key was changed meanwhile.
pub(in crate::agents) async fn change_key(
    connection: &mut PgConnection,
    agent: &Identity,
    key_hash: &KeyHash,
    clock: &Clock,
) -> Result<Option<usize>> {
    let head_lock = HeadLock::acquire(connection, clock).await?;
    let statement = sqlx::query!(
        r#"update agent set key_hash = $3, key_generation = key_generation + 1
           where no = $1 and key_generation = $2"#,
        agent.no as _,
        agent.key_generation,
        &key_hash[..]
    );
    if statement.execute(&mut *connection).await?.rows_affected() == 0 {
        return Ok(None);
    }
    let extra_keys = extra_keys::list(&mut *connection, agent.no, head_lock.now).await?;
    control::append(connection, ControlEntry::KeyChanged(agent.no), clock.offset()).await?;
    Ok(Some(extra_keys.len()))
}
