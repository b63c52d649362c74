//! Queries about the private PostgreSQL itself, its sessions and its password.

use sqlx::PgConnection;

/// Gives the user of this connection a password.
pub(super) async fn set_password(connection: &mut PgConnection, password: &str) -> Result<(), sqlx::Error> {
    // ALTER ROLE takes no parameters, so the password goes there through a setting of the session.
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

/// How many sessions there are, but for those that bear this name.
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
