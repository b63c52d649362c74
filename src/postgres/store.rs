//! What is asked of the private PostgreSQL itself.

use sqlx::PgConnection;

/// How many sessions there are, but for those that bear this name.
pub(super) async fn sessions_but(connection: &mut PgConnection, name: &str) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select count(*) as "count!" from pg_stat_activity
           where backend_type in ('client backend', 'walsender')
             and pid <> pg_backend_pid() and application_name is distinct from $1"#,
        name
    )
    .fetch_one(connection)
    .await
}
