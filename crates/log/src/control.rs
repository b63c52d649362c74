//! The control log: changes that all instances must know at once and the public must not see.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use sqlx::{PgConnection, PgPool};

use super::store;
pub use super::store::append_control_entry as append;

/// The time for which entries are kept. Instances read them within a second; one that is cut off for longer
/// than this reads everything again.
const ENTRY_RETENTION: TimeDelta = TimeDelta::days(1);

/// An account's id and name.
pub(super) type AccountIdAndName = (Arc<str>, Arc<str>);

/// Locks the head for the rest of the transaction. Every change of what the writer checks must do this first.
pub async fn lock_head(connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    store::lock_head(connection).await.map(|_| ())
}

/// Deletes the oldest entries, up to this many, that no instance needs any more, and returns their number. An
/// instance that starts needs none, because the state that they are about is stored elsewhere.
pub async fn delete_old(pool: &PgPool, now: DateTime<Utc>, limit: i64) -> Result<u64, sqlx::Error> {
    let before = now - ENTRY_RETENTION;
    if !store::has_control_entry_before(pool, before).await? {
        return Ok(0);
    }
    let mut transaction = pool.begin().await?;
    lock_head(&mut transaction).await?;
    let deleted = store::delete_control_entries(&mut transaction, before, limit).await?;
    transaction.commit().await?;
    Ok(deleted)
}
