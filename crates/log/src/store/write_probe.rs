//! The SQL of the probes that show whether the database can be written.

use sqlx::{Connection as _, PgConnection};

use super::Result;

/// Writes the row of an instance, and as many new pages as a batch of placements needs.
pub async fn write_probe(connection: &mut PgConnection, instance: &str) -> Result<()> {
    sqlx::query_scalar!("select probe_write($1)", instance).fetch_one(connection).await.map(|_| ())
}

/// Locks the head for a moment, as a write does. Fails if another session holds the lock for two seconds.
pub async fn try_lock_head(connection: &mut PgConnection) -> Result<()> {
    let mut transaction = connection.begin().await?;
    sqlx::query_scalar!(r#"select set_config('lock_timeout', '2s', true) as "limit!""#)
        .fetch_one(&mut *transaction)
        .await?;
    sqlx::query_scalar!(r#"select seq from log_head for no key update"#).fetch_one(&mut *transaction).await?;
    transaction.rollback().await
}
