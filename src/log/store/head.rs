//! The SQL of the head row, and of the data that is read while it is locked.

use std::collections::HashMap;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use rules::rights::{Rights, StoredRights};
use sqlx::PgConnection;

use super::{Result, column};
use crate::log::batch_context::Account;
use crate::log::control::{AccountIdAndName, ControlEntry};
use crate::log::existing_message::ExistingMessage;
use crate::log::live::hub::RevokedKey;
use crate::log::writer_cache::HeadPosition;

/// The head row: the newest numbers of both logs, the version, and the time of the newest event.
#[derive(Default)]
pub struct Head {
    pub seq: i64,
    pub version: i64,
    pub control: i64,
    /// The time of the newest event.
    pub at: DateTime<Utc>,
    /// The database's time when it was read.
    pub clock: DateTime<Utc>,
}

/// The locked head, with the time of the next event.
pub struct LockedHead {
    pub seq: i64,
    pub control: i64,
    pub turn: i64,
    /// The time of the newest event.
    pub at: DateTime<Utc>,
    /// The time when it was locked.
    pub clock: DateTime<Utc>,
    /// The time of the next event, which is not before that of the newest one unless that lies in the future.
    pub now: DateTime<Utc>,
}

impl LockedHead {
    /// Returns the position of the head.
    pub fn position(&self) -> HeadPosition {
        HeadPosition { seq: self.seq, control: self.control, epoch: self.turn }
    }
}

/// Locks the head until the transaction ends. This is a statement of its own, so that the next ones see
/// everything that was committed before. The database's time is read after the lock was acquired.
pub async fn lock_head(connection: &mut PgConnection) -> Result<LockedHead> {
    let sql = sqlx::query!(
        r#"with head as materialized (select seq, control, turn, at from log_head for update)
           select seq, control, turn, at, clock_timestamp() as "now!" from head"#
    );
    let row = sql.fetch_one(connection).await?;
    let (at, now) = (row.at, row.now);
    Ok(LockedHead { seq: row.seq, control: row.control, turn: row.turn, at, clock: now, now })
}

/// Advances the epoch, so that no statement that was sent in the old epoch takes effect. The head must be
/// locked.
pub async fn advance_epoch(connection: &mut PgConnection) -> Result<()> {
    sqlx::query!("update log_head set turn = turn + 1").execute(connection).await.map(|_| ())
}

/// Returns the head without locking it.
pub async fn head(connection: &mut PgConnection) -> Result<Head> {
    let sql = sqlx::query_as!(
        Head,
        r#"select seq, version, control, at, clock_timestamp() as "clock!" from log_head"#
    );
    sql.fetch_one(connection).await
}

/// Returns the id of the database process that serves this connection.
pub async fn backend_process_id(connection: &mut PgConnection) -> Result<u32> {
    let process =
        sqlx::query_scalar!(r#"select pg_backend_pid() as "process!""#).fetch_one(connection).await?;
    Ok(process.unsigned_abs())
}

/// Returns the database's time.
pub async fn now(connection: &mut PgConnection, offset: TimeDelta) -> Result<DateTime<Utc>> {
    sqlx::query_scalar!(r#"select clock_timestamp() + $1::interval as "now!""#, offset as _)
        .fetch_one(connection)
        .await
}

/// Returns the accounts of these agents.
pub async fn accounts(connection: &mut PgConnection, agents: &[i64]) -> Result<Vec<Account>> {
    if agents.is_empty() {
        return Ok(Vec::new());
    }
    let rows = sqlx::query!(
        r#"select no, id as "id: Arc<str>", name as "name: Arc<str>", key_generation, charges_full_at,
                  reactions_full_at, chat_credits, pixels_placed, messages_sent, last_placement, next_message_at,
                  last_message, free_intents, private_messages_sent, next_whisper_at, kind, banned_until,
                  ban_reason, muted_until, mute_reason, shadowed, pass_until, pass_seconds, badge,
                  array(select k.no from agent_key k where k.agent = agent.no and k.revoked_at is null)
                      as "extra_keys!: Vec<i64>"
           from agent where no = any($1)"#,
        agents
    )
    .fetch_all(connection)
    .await?;
    let accounts = rows.into_iter().map(|row| Account {
        no: row.no,
        id: row.id,
        name: row.name,
        key_generation: row.key_generation,
        extra_keys: row.extra_keys,
        rights: Rights::from(StoredRights {
            kind: row.kind,
            banned_until: row.banned_until,
            ban_reason: row.ban_reason,
            muted_until: row.muted_until,
            mute_reason: row.mute_reason,
            shadowed: row.shadowed,
            pass_until: row.pass_until,
            pass_seconds: row.pass_seconds,
            badge: row.badge,
        }),
        charges_full_at: row.charges_full_at,
        reactions_full_at: row.reactions_full_at,
        chat_credits: row.chat_credits,
        pixels_placed: row.pixels_placed,
        messages_sent: row.messages_sent,
        private_messages_sent: row.private_messages_sent,
        last_placement: row.last_placement,
        next_message_at: row.next_message_at,
        next_whisper_at: row.next_whisper_at,
        last_message: row.last_message,
        free_intents: row.free_intents,
    });
    Ok(accounts.collect())
}

/// Returns those of these messages that exist, with or without texts.
pub async fn existing_messages(
    connection: &mut PgConnection,
    ids: &[String],
) -> Result<HashMap<String, ExistingMessage>> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let found = sqlx::query!(
        r#"select said.id, said.seq, coalesce(mark.kind in ('hidden', 'deleted'), false) as "hidden!" from event said
               left join lateral (select kind from event mark where mark.id = said.id
                                  and mark.kind in ('hidden', 'restored', 'deleted') order by seq desc limit 1) mark on true
           where said.kind = 'chat' and said.id = any($1)"#,
        ids
    )
    .fetch_all(connection)
    .await?;
    let existing =
        found.into_iter().map(|row| (row.id, ExistingMessage { seq: row.seq, is_hidden: row.hidden }));
    Ok(existing.collect())
}

/// Returns the ids and names of these agents.
pub async fn agent_names(connection: &mut PgConnection, agents: &[i64]) -> Result<Vec<AccountIdAndName>> {
    if agents.is_empty() {
        return Ok(Vec::new());
    }
    let rows = sqlx::query!(
        r#"select id as "id: Arc<str>", name as "name: Arc<str>" from agent where no = any($1)"#,
        agents
    )
    .fetch_all(connection)
    .await?;
    Ok(rows.into_iter().map(|row| (row.id, row.name)).collect())
}

/// Returns those of these extra keys that have been revoked.
pub async fn revoked_keys(connection: &mut PgConnection, keys: &[i64]) -> Result<Vec<RevokedKey>> {
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    sqlx::query_as!(
        RevokedKey,
        "select no, agent from agent_key where no = any($1) and revoked_at is not null",
        keys
    )
    .fetch_all(connection)
    .await
}

/// Appends an entry to the control log and notifies every instance. The head must be locked.
pub async fn append_control_entry(
    connection: &mut PgConnection,
    entry: ControlEntry,
    offset: TimeDelta,
) -> Result<()> {
    append_control_entries(connection, &[entry], offset).await
}

/// Appends entries to the control log and notifies every instance once. The head must be locked.
pub async fn append_control_entries(
    connection: &mut PgConnection,
    entries: &[ControlEntry],
    offset: TimeDelta,
) -> Result<()> {
    if entries.is_empty() {
        return Ok(());
    }
    sqlx::query!(
        r#"with head as (
               update log_head set control = control + cardinality($2::bigint[]) returning seq, control
           ), entry as (
               insert into control (no, kind, subject, at)
               select head.control - cardinality($2::bigint[]) + e.place, e.kind, e.subject,
                      clock_timestamp() + $3::interval
               from head, unnest($1::text[], $2::bigint[]) with ordinality as e (kind, subject, place)
           )
           select pg_notify('caraplace', concat(seq, ' ', control))::text from head"#,
        &column(entries, |entry| entry.to_stored().0.to_owned()),
        &column(entries, |entry| entry.to_stored().1),
        offset as _
    )
    .fetch_one(connection)
    .await
    .map(|_| ())
}
