//! Queries about the private PostgreSQL itself: its sessions and its password.

use sqlx::PgConnection;

/// Sets the password of this connection's user.
pub(super) async fn set_password(connection: &mut PgConnection, password: &str) -> Result<(), sqlx::Error> {
    // ALTER ROLE takes no parameters, so the password is passed through a session setting.
    sqlx::query_scalar!(r#"select set_config('caraplace.password', $1, false) as "password!""#, password)
        .fetch_one(&mut *connection)
        .await?;
    sqlx::query!(
        "do $$ begin
             execute format('alter role current_user password %L', current_setting('caraplace.password'));
         end $$"
    )
    .execute(connection)
    .await
    .map(|_| ())
}

/// Returns the number of sessions except those with this name.
pub(super) async fn count_sessions_except(
    connection: &mut PgConnection,
    name: &str,
) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select count(*) as "count!" from pg_stat_activity
           where backend_type in ('client backend', 'walsender')
             and pid <> pg_backend_pid() and application_name is distinct from $1"#,
        name
    )
    .fetch_one(connection)
    .await
}
