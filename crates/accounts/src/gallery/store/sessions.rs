//! The SQL of Checkouts, sessions and magic links.

use chrono::{DateTime, Utc};
use rules::numbers::AccountNo;
use sqlx::{PgConnection, PgExecutor, PgPool};

use super::{Blake3Hash, Result};
use crate::gallery::{CHECKOUT_RETENTION, EVENT_RETENTION};

/// Inserts a Checkout that a browser has begun.
pub async fn insert_checkout(
    pool: &PgPool,
    id: &str,
    secret: &Blake3Hash,
    viewer: Option<AccountNo>,
    now: DateTime<Utc>,
) -> Result<()> {
    let statement = sqlx::query!(
        "insert into gallery_checkout (id, secret_hash, viewer, made_at) values ($1, $2, $3, $4)",
        id,
        &secret[..],
        viewer as _,
        now
    );
    statement.execute(pool).await.map(|_| ())
}

/// Returns whether the browser with this secret has already returned from this Checkout. `None` if it did not
/// begin it.
pub async fn find_checkout_returned(
    executor: impl PgExecutor<'_>,
    id: &str,
    secret: &Blake3Hash,
) -> Result<Option<bool>> {
    let statement = sqlx::query_scalar!(
        "select returned from gallery_checkout where id = $1 and secret_hash = $2",
        id,
        &secret[..]
    );
    statement.fetch_optional(executor).await
}

/// Marks a browser as returned from a Checkout, with its viewer. Returns false if it had already returned.
pub async fn mark_returned(
    connection: &mut PgConnection,
    id: &str,
    secret: &Blake3Hash,
    viewer: AccountNo,
    now: DateTime<Utc>,
) -> Result<bool> {
    let statement = sqlx::query!(
        r#"update gallery_checkout set returned = true, returned_at = $4, viewer = $3
           where id = $1 and secret_hash = $2 and not returned"#,
        id,
        &secret[..],
        viewer as _,
        now
    );
    Ok(statement.execute(connection).await?.rows_affected() > 0)
}

/// Returns the viewer who returned from this Checkout with this secret since a time. `None` if sessions were
/// ended meanwhile.
pub async fn find_returned_viewer(
    connection: &mut PgConnection,
    id: &str,
    secret: &Blake3Hash,
    since: DateTime<Utc>,
) -> Result<Option<AccountNo>> {
    let statement = sqlx::query_scalar!(
        r#"select viewer as "viewer: AccountNo" from gallery_checkout
           where id = $1 and secret_hash = $2 and returned_at > $3"#,
        id,
        &secret[..],
        since
    );
    Ok(statement.fetch_optional(connection).await?.flatten())
}

/// Inserts a session.
pub async fn insert_session(
    connection: &mut PgConnection,
    token: &Blake3Hash,
    viewer: AccountNo,
    expires_at: DateTime<Utc>,
) -> Result<()> {
    let statement = sqlx::query!(
        "insert into gallery_session (token_hash, viewer, expires_at) values ($1, $2, $3)",
        &token[..],
        viewer as _,
        expires_at
    );
    statement.execute(connection).await.map(|_| ())
}

/// Returns the id of the viewer of a session, and the number of its current key.
pub async fn find_session(
    pool: &PgPool,
    token: &Blake3Hash,
    now: DateTime<Utc>,
) -> Result<Option<(String, i32)>> {
    let statement = sqlx::query!(
        r#"select a.id, a.key_generation from gallery_session s join agent a on a.no = s.viewer
           where s.token_hash = $1 and s.expires_at > $2"#,
        &token[..],
        now
    );
    Ok(statement.fetch_optional(pool).await?.map(|row| (row.id, row.key_generation)))
}

/// Deletes a session, and keeps its browser from returning to one from a Checkout.
pub async fn delete_session(pool: &PgPool, token: &Blake3Hash) -> Result<()> {
    let statement = sqlx::query!(
        r#"with closed as (delete from gallery_session where token_hash = $1 returning viewer)
           update gallery_checkout set returned_at = null from closed
           where gallery_checkout.viewer = closed.viewer and returned_at is not null"#,
        &token[..]
    );
    statement.execute(pool).await.map(|_| ())
}

/// Deletes all sessions of a viewer, and keeps browsers from returning to one from its Checkouts.
pub async fn delete_sessions(connection: &mut PgConnection, viewer: AccountNo) -> Result<()> {
    sqlx::query!("delete from gallery_session where viewer = $1", viewer as _)
        .execute(&mut *connection)
        .await?;
    let statement = sqlx::query!(
        "update gallery_checkout set returned = true, returned_at = null where viewer = $1",
        viewer as _
    );
    statement.execute(connection).await.map(|_| ())
}

/// Deletes the magic links of a viewer.
pub async fn delete_links(connection: &mut PgConnection, viewer: AccountNo) -> Result<()> {
    sqlx::query!("delete from gallery_link where viewer = $1", viewer as _)
        .execute(connection)
        .await
        .map(|_| ())
}

/// Inserts a magic link.
pub async fn insert_link(
    pool: &PgPool,
    token: &Blake3Hash,
    viewer: AccountNo,
    expires_at: DateTime<Utc>,
) -> Result<()> {
    let statement = sqlx::query!(
        "insert into gallery_link (token_hash, viewer, expires_at) values ($1, $2, $3)",
        &token[..],
        viewer as _,
        expires_at
    );
    statement.execute(pool).await.map(|_| ())
}

/// Consumes a link together with all other links of its viewer, and returns the viewer. `None` if it was used
/// or has expired.
pub async fn consume_link(
    connection: &mut PgConnection,
    token: &Blake3Hash,
    now: DateTime<Utc>,
) -> Result<Option<AccountNo>> {
    let statement = sqlx::query_scalar!(
        r#"with used as (
               delete from gallery_link where token_hash = $1 and expires_at > $2 returning viewer
           ), others as (
               delete from gallery_link l using used where l.viewer = used.viewer and l.token_hash <> $1
           )
           select viewer as "viewer: AccountNo" from used"#,
        &token[..],
        now
    );
    statement.fetch_optional(connection).await
}

/// Deletes expired rows.
pub async fn delete_expired(connection: &mut PgConnection, now: DateTime<Utc>) -> Result<()> {
    sqlx::query!("delete from gallery_session where expires_at <= $1", now).execute(&mut *connection).await?;
    sqlx::query!("delete from gallery_link where expires_at <= $1", now).execute(&mut *connection).await?;
    sqlx::query!("delete from gallery_checkout where made_at < $1", now - CHECKOUT_RETENTION)
        .execute(&mut *connection)
        .await?;
    sqlx::query!("delete from stripe_event where received_at < $1", now - EVENT_RETENTION)
        .execute(connection)
        .await?;
    Ok(())
}
