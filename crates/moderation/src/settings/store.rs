//! The SQL of the settings.

use chrono::{DateTime, Utc};
use serde_json::Value;
use sqlx::{PgConnection, PgPool, Result};

/// A setting that operators have changed, with the last change.
pub(super) struct SettingChange {
    pub(super) name: String,
    pub(super) at: DateTime<Utc>,
    /// The operator, as in the audit log; `None` if the audit log does not have the change.
    pub(super) operator: Option<String>,
    /// The reason; `None` if the audit log does not have the change.
    pub(super) reason: Option<String>,
}

/// Returns the settings that operators have changed.
pub(super) async fn changed_settings(pool: &PgPool) -> Result<Vec<SettingChange>> {
    let statement = sqlx::query_as!(
        SettingChange,
        r#"select name, changed_at as at, last.operator as "operator?", last.why as "reason?"
           from setting
           left join lateral (
               select operator, why from audit where act = 'set' and subject = name order by no desc limit 1
           ) last on true"#
    );
    statement.fetch_all(pool).await
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
