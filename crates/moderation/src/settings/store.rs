//! The SQL of the settings.

use chrono::{DateTime, Utc};
use serde_json::Value;
use sqlx::{PgConnection, PgPool, Result};

/// Returns the names of the settings that operators have changed, with the times.
pub(super) async fn changed_settings(pool: &PgPool) -> Result<Vec<(String, DateTime<Utc>)>> {
    let rows = sqlx::query!("select name, changed_at from setting").fetch_all(pool).await?;
    Ok(rows.into_iter().map(|row| (row.name, row.changed_at)).collect())
}

/// Returns the stored value of a setting.
pub(super) async fn stored_value(connection: &mut PgConnection, name: &str) -> Result<Option<Value>> {
    sqlx::query_scalar!("select value from setting where name = $1", name).fetch_optional(connection).await
}

/// Stores the value of a setting. The head must be locked.
pub(super) async fn set(
    connection: &mut PgConnection,
    name: &str,
    value: &Value,
    at: DateTime<Utc>,
) -> Result<()> {
    let statement = sqlx::query!(
        r#"insert into setting (name, value, changed_at) values ($1, $2, $3)
           on conflict (name) do update set value = excluded.value, changed_at = excluded.changed_at"#,
        name,
        value,
        at
    );
    statement.execute(connection).await.map(|_| ())
}

/// Deletes the stored value of a setting. The head must be locked.
pub(super) async fn reset(connection: &mut PgConnection, name: &str) -> Result<()> {
    sqlx::query!("delete from setting where name = $1", name).execute(connection).await.map(|_| ())
}
