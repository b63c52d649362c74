//! The SQL of the head row.

use chrono::{DateTime, TimeDelta, Utc};
use rules::numbers::Seq;
use sqlx::PgConnection;

use super::Result;

/// The head row: the newest numbers of both logs, the version, and the time of the newest event.
pub struct Head {
    pub seq: Seq,
    pub version: Seq,
    pub control: i64,
    /// The time of the newest event.
    pub at: DateTime<Utc>,
    /// The database's time when it was read.
    pub clock: DateTime<Utc>,
}

/// The position of the head: the newest numbers of both logs, and the epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeadPosition {
    pub seq: Seq,
    pub control: i64,
    /// Increases when a write was given up that may still be in progress, and with each batch without events.
    pub epoch: i64,
}

/// The locked head, with the time of the next event.
pub struct LockedHead {
    pub seq: Seq,
    pub control: i64,
    pub epoch: i64,
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
        HeadPosition { seq: self.seq, control: self.control, epoch: self.epoch }
    }
}

/// Locks the head until the transaction ends. This is a statement of its own, so that the next ones see
/// everything that was committed before. The database's time is read after the lock was acquired.
pub async fn lock_head(connection: &mut PgConnection) -> Result<LockedHead> {
    let statement = sqlx::query!(
        r#"with head as materialized (select seq, control, turn, at from log_head for update)
           select seq as "seq: Seq", control, turn, at, clock_timestamp() as "now!" from head"#
    );
    let row = statement.fetch_one(connection).await?;
    let at = row.at;
    let now = row.now;
    Ok(LockedHead { seq: row.seq, control: row.control, epoch: row.turn, at, clock: now, now })
}

/// Advances the epoch, so that no statement that was sent in the old epoch takes effect. The head must be
/// locked.
pub async fn advance_epoch(connection: &mut PgConnection) -> Result<()> {
    sqlx::query!("update log_head set turn = turn + 1").execute(connection).await.map(|_| ())
}

/// Returns the head without locking it.
pub async fn head(connection: &mut PgConnection) -> Result<Head> {
    let statement = sqlx::query_as!(
        Head,
        r#"select seq as "seq: Seq", version as "version: Seq", control, at, clock_timestamp() as "clock!"
           from log_head"#
    );
    statement.fetch_one(connection).await
}

/// Returns the id of the database process that serves this connection.
pub async fn backend_process_id(connection: &mut PgConnection) -> Result<u32> {
    let process =
        sqlx::query_scalar!(r#"select pg_backend_pid() as "process!""#).fetch_one(connection).await?;
    Ok(process.unsigned_abs())
}

/// Returns the database's time.
pub async fn now(connection: &mut PgConnection, offset: TimeDelta) -> Result<DateTime<Utc>> {
    let statement = sqlx::query_scalar!(r#"select clock_timestamp() + $1::interval as "now!""#, offset as _);
    statement.fetch_one(connection).await
}
