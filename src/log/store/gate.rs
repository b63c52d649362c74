//! The head row, and what is read once it is locked.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, TimeDelta, Utc};
use sqlx::PgConnection;

use super::Result;
use crate::log::ground::Account;

/// The newest numbers.
pub struct Head {
    pub seq: i64,
    pub version: i64,
    pub control: i64,
    pub at: DateTime<Utc>,
}

/// Closes the gate until the transaction ends. A statement of its own, so that the next ones see all that was
/// committed before.
pub async fn lock_head(connection: &mut PgConnection) -> Result<Head> {
    sqlx::query_as!(Head, r#"select seq, version, control, at from log_head for update"#)
        .fetch_one(connection)
        .await
}

/// The head as it is, without closing the gate.
pub async fn head(connection: &mut PgConnection) -> Result<Head> {
    sqlx::query_as!(Head, r#"select seq, version, control, at from log_head"#).fetch_one(connection).await
}

/// The time behind the gate, never before `not_before`, and the accounts of these agents.
pub async fn accounts(
    connection: &mut PgConnection,
    agents: &[i64],
    offset: TimeDelta,
    not_before: DateTime<Utc>,
) -> Result<(DateTime<Utc>, HashMap<i64, Account>)> {
    let now = sqlx::query_scalar!(
        r#"select greatest(clock_timestamp() + $1::interval, $2) as "now!""#,
        offset as _,
        not_before
    )
    .fetch_one(&mut *connection)
    .await?;
    let rows = sqlx::query_as!(
        Account,
        r#"select no, id as "id: _", name as "name: _", key_generation, charges_full_at, reactions_full_at,
                  chat_credits, pixels_placed, messages_sent, next_message_at, last_message
           from agent where no = any($1)"#,
        agents
    )
    .fetch_all(connection)
    .await?;
    Ok((now, rows.into_iter().map(|account| (account.no, account)).collect()))
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
