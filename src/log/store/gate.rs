//! The head row, and what is read once it is locked.

use std::collections::HashSet;

use chrono::{DateTime, TimeDelta, Utc};
use sqlx::PgConnection;

use super::Result;
use crate::log::footing::Numbers;
use crate::log::ground::Account;

/// The newest numbers.
pub struct Head {
    pub seq: i64,
    pub version: i64,
    pub control: i64,
}

/// The head behind the closed gate, with the database's time: never before the newest event's.
pub struct LockedHead {
    pub seq: i64,
    pub control: i64,
    pub turn: i64,
    pub at: DateTime<Utc>,
    pub now: DateTime<Utc>,
}

impl LockedHead {
    /// Where the head stands.
    pub fn numbers(&self) -> Numbers {
        Numbers { seq: self.seq, control: self.control, turn: self.turn }
    }
}

/// Closes the gate until the transaction ends. A statement of its own, so that the next ones see all that was
/// committed before; the time is taken when the row is there.
pub async fn lock_head(connection: &mut PgConnection, offset: TimeDelta) -> Result<LockedHead> {
    sqlx::query_as!(
        LockedHead,
        r#"with head as materialized (select seq, control, turn, at from log_head for update)
           select seq, control, turn, at, greatest(clock_timestamp() + $1::interval, at) as "now!" from head"#,
        offset as _
    )
    .fetch_one(connection)
    .await
}

/// Makes sure that no statement that was written for this turn happens any more. The gate must be closed.
pub async fn next_turn(connection: &mut PgConnection) -> Result<()> {
    sqlx::query!("update log_head set turn = turn + 1").execute(connection).await.map(|_| ())
}

/// The head as it is, without closing the gate.
pub async fn head(connection: &mut PgConnection) -> Result<Head> {
    sqlx::query_as!(Head, r#"select seq, version, control from log_head"#).fetch_one(connection).await
}

/// The number of the database's process that serves this connection.
pub async fn process(connection: &mut PgConnection) -> Result<u32> {
    let process =
        sqlx::query_scalar!(r#"select pg_backend_pid() as "process!""#).fetch_one(connection).await?;
    Ok(process.unsigned_abs())
}

/// The database's time.
pub async fn time(connection: &mut PgConnection, offset: TimeDelta) -> Result<DateTime<Utc>> {
    sqlx::query_scalar!(r#"select clock_timestamp() + $1::interval as "now!""#, offset as _)
        .fetch_one(connection)
        .await
}

/// The accounts of these agents.
pub async fn accounts(connection: &mut PgConnection, agents: &[i64]) -> Result<Vec<Account>> {
    if agents.is_empty() {
        return Ok(Vec::new());
    }
    sqlx::query_as!(
        Account,
        r#"select no, id as "id: _", name as "name: _", key_generation, charges_full_at, reactions_full_at,
                  chat_credits, pixels_placed, messages_sent, last_placement, next_message_at, last_message
           from agent where no = any($1)"#,
        agents
    )
    .fetch_all(connection)
    .await
}

/// Those of these messages that were ever said.
pub async fn existing_messages(connection: &mut PgConnection, ids: &[String]) -> Result<HashSet<String>> {
    if ids.is_empty() {
        return Ok(HashSet::new());
    }
    let found = sqlx::query_scalar!("select id from event where kind = 'chat' and id = any($1)", ids)
        .fetch_all(connection)
        .await?;
    Ok(found.into_iter().collect())
}

/// Numbers of the agents whose key changed after an entry of the control log.
pub async fn keys_changed(connection: &mut PgConnection, after: i64) -> Result<Vec<i64>> {
    sqlx::query_scalar!("select subject from control where kind = 'key_changed' and no > $1", after)
        .fetch_all(connection)
        .await
}

/// Adds the next entry to the control log and wakes every instance. The gate must be closed.
pub async fn append_key_changed(connection: &mut PgConnection, agent: i64, offset: TimeDelta) -> Result<()> {
    sqlx::query!(
        r#"with head as (
               update log_head set control = control + 1 returning seq, control
           ), entry as (
               insert into control (no, kind, subject, at)
               select control, 'key_changed', $1, clock_timestamp() + $2::interval from head
           )
           select pg_notify('caraplace', concat(seq, ' ', control))::text from head"#,
        agent,
        offset as _
    )
    .fetch_one(connection)
    .await
    .map(|_| ())
}
