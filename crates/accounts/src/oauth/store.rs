//! The SQL of OAuth clients, grants and access tokens.

use caraplace_log::identity::Identity;
use chrono::{DateTime, TimeDelta, Utc};
use platform::tokens::Blake3Hash;
use rules::numbers::AccountNo;
use sqlx::{PgConnection, PgPool};

use super::{Client, Consent};

type Result<T, E = sqlx::Error> = std::result::Result<T, E>;

/// The largest number of clients that no person has used. Beyond it the oldest ones are deleted.
const MAX_UNUSED_CLIENTS: i64 = 10_000;
/// The time after which clients without a grant are deleted, never used or used before.
const UNUSED_CLIENT_RETENTION: TimeDelta = TimeDelta::days(7);
const CLIENT_RETENTION: TimeDelta = TimeDelta::days(180);

/// A grant, with the state of its agent's key.
pub(super) struct GrantRow {
    pub no: i64,
    pub client: String,
    /// The agent's number.
    pub agent: AccountNo,
    pub redirect_uri: String,
    pub code_challenge: String,
    pub code_expires_at: DateTime<Utc>,
    pub is_redeemed: bool,
    /// True if the grant was revoked, or if the agent has a new key.
    pub is_ended: bool,
    pub refresh_hash: Option<Vec<u8>>,
    pub expires_at: DateTime<Utc>,
}

/// The hash of a new access token, and its end.
pub(super) struct NewAccessToken {
    pub hash: Blake3Hash,
    pub expires_at: DateTime<Utc>,
}

/// The hashes of a new refresh token and of its handle, and its end.
pub(super) struct NewRefreshToken {
    pub handle: Blake3Hash,
    pub hash: Blake3Hash,
    pub expires_at: DateTime<Utc>,
}

/// The replacement of a refresh token by its successor.
pub(super) struct Rotation {
    /// The hash of the token that was replaced.
    pub token_hash: Blake3Hash,
    /// The random bytes from which, with the token, its successor is derived.
    pub seed: Vec<u8>,
}

/// The agent of an access token.
pub(super) struct AccessTokenRow {
    pub agent_id: String,
    /// The number of the agent's key at the consent.
    pub key_generation: i32,
    pub expires_at: DateTime<Utc>,
}

/// Inserts a client.
pub(super) async fn insert_client(pool: &PgPool, client: &Client, now: DateTime<Utc>) -> Result<()> {
    let statement = sqlx::query!(
        r#"with surplus as (
               delete from oauth_client where id in
                   (select id from oauth_client where used_at is null order by created_at desc offset $5)
           )
           insert into oauth_client (id, name, redirect_uris, created_at) values ($1, $2, $3, $4)"#,
        client.id,
        client.name,
        &client.redirect_uris,
        now,
        MAX_UNUSED_CLIENTS
    );
    statement.execute(pool).await.map(|_| ())
}

/// Returns the client with this id.
pub(super) async fn find_client(pool: &PgPool, id: &str) -> Result<Option<Client>> {
    let statement =
        sqlx::query_as!(Client, "select id, name, redirect_uris from oauth_client where id = $1", id);
    statement.fetch_optional(pool).await
}

/// Inserts a grant with its code, and marks the client as used.
pub(super) async fn insert_grant(
    connection: &mut PgConnection,
    agent: &Identity,
    consent: &Consent<'_>,
    code_hash: &Blake3Hash,
    now: DateTime<Utc>,
    expires_at: DateTime<Utc>,
) -> Result<()> {
    let statement = sqlx::query!(
        r#"with used as (update oauth_client set used_at = $7 where id = $1)
           insert into oauth_grant (client, agent, key_generation, redirect_uri, code_challenge, code_hash,
                                    code_expires_at, expires_at)
           values ($1, $2, $3, $4, $5, $6, $8, $8)"#,
        consent.client,
        agent.no as _,
        agent.key_generation,
        consent.redirect_uri,
        consent.code_challenge,
        &code_hash[..],
        now,
        expires_at
    );
    statement.execute(connection).await.map(|_| ())
}

/// Locks and returns the live grants of an agent but for its newest ones. Those that are in use at this
/// moment are left out: their requests wait for the head of the log, which the caller has locked.
pub(super) async fn lock_grants_beyond(
    connection: &mut PgConnection,
    agent: &Identity,
    newest: i64,
    now: DateTime<Utc>,
) -> Result<Vec<i64>> {
    let statement = sqlx::query_scalar!(
        r#"select no from oauth_grant where no in (
               select no from oauth_grant
               where agent = $1 and key_generation = $2 and revoked_at is null and expires_at > $3
               order by no desc offset $4
           ) for update skip locked"#,
        agent.no as _,
        agent.key_generation,
        now,
        newest
    );
    statement.fetch_all(connection).await
}

/// Locks and returns the grant of a code.
pub(super) async fn lock_grant_by_code(
    connection: &mut PgConnection,
    code_hash: &Blake3Hash,
) -> Result<Option<GrantRow>> {
    let statement = sqlx::query_scalar!("select no from oauth_grant where code_hash = $1", &code_hash[..]);
    let no = statement.fetch_optional(&mut *connection).await?;
    lock_grant(connection, no).await
}

/// Locks and returns the grant of a refresh token, current or older.
pub(super) async fn lock_grant_by_refresh_handle(
    connection: &mut PgConnection,
    handle_hash: &Blake3Hash,
) -> Result<Option<GrantRow>> {
    let statement =
        sqlx::query_scalar!("select no from oauth_grant where refresh_handle_hash = $1", &handle_hash[..]);
    let no = statement.fetch_optional(&mut *connection).await?;
    lock_grant(connection, no).await
}

/// Locks and returns the grant of an access token.
pub(super) async fn lock_grant_by_access_token(
    connection: &mut PgConnection,
    token_hash: &Blake3Hash,
) -> Result<Option<GrantRow>> {
    let statement =
        sqlx::query_scalar!("select grant_no from oauth_access_token where token_hash = $1", &token_hash[..]);
    let no = statement.fetch_optional(&mut *connection).await?;
    lock_grant(connection, no).await
}

/// Locks a grant until the transaction ends, and returns it as it is then.
async fn lock_grant(connection: &mut PgConnection, no: Option<i64>) -> Result<Option<GrantRow>> {
    let Some(no) = no else { return Ok(None) };
    let statement = sqlx::query_as!(
        GrantRow,
        r#"select g.no, g.client, g.agent as "agent: AccountNo", g.redirect_uri, g.code_challenge,
                  g.code_expires_at, g.redeemed_at is not null as "is_redeemed!",
                  (g.revoked_at is not null or g.key_generation <> a.key_generation) as "is_ended!",
                  g.refresh_hash, g.expires_at
           from oauth_grant g join agent a on a.no = g.agent where g.no = $1 for update of g"#,
        no
    );
    statement.fetch_optional(connection).await
}

/// Inserts an access token of a grant, and deletes the grant's expired ones.
pub(super) async fn insert_access_token(
    connection: &mut PgConnection,
    grant: i64,
    token: &NewAccessToken,
    now: DateTime<Utc>,
) -> Result<()> {
    let statement = sqlx::query!(
        r#"with expired as (delete from oauth_access_token where grant_no = $1 and expires_at <= $2)
           insert into oauth_access_token (token_hash, grant_no, expires_at) values ($3, $1, $4)"#,
        grant,
        now,
        &token.hash[..],
        token.expires_at
    );
    statement.execute(connection).await.map(|_| ())
}

/// Replaces the refresh token of a grant, whose code is redeemed from then on.
pub(super) async fn set_refresh_token(
    connection: &mut PgConnection,
    grant: i64,
    token: &NewRefreshToken,
    now: DateTime<Utc>,
) -> Result<()> {
    let statement = sqlx::query!(
        r#"update oauth_grant
           set redeemed_at = coalesce(redeemed_at, $2), refresh_handle_hash = $3, refresh_hash = $4,
               expires_at = $5
           where no = $1"#,
        grant,
        now,
        &token.handle[..],
        &token.hash[..],
        token.expires_at
    );
    statement.execute(connection).await.map(|_| ())
}

/// Records that a refresh token of a grant was replaced, and deletes the grant's rotations before `oldest`.
pub(super) async fn insert_rotation(
    connection: &mut PgConnection,
    grant: i64,
    rotation: &Rotation,
    now: DateTime<Utc>,
    oldest: DateTime<Utc>,
) -> Result<()> {
    let statement = sqlx::query!(
        r#"with ended as (delete from oauth_rotation where grant_no = $1 and rotated_at <= $5)
           insert into oauth_rotation (token_hash, grant_no, rotated_at, seed) values ($2, $1, $3, $4)"#,
        grant,
        &rotation.token_hash[..],
        now,
        &rotation.seed,
        oldest
    );
    statement.execute(connection).await.map(|_| ())
}

/// Returns the seed of the rotation that replaced a refresh token of a grant after `oldest`; `None` if there
/// was none.
pub(super) async fn find_rotation_seed(
    connection: &mut PgConnection,
    grant: i64,
    token_hash: &Blake3Hash,
    oldest: DateTime<Utc>,
) -> Result<Option<Vec<u8>>> {
    let statement = sqlx::query_scalar!(
        "select seed from oauth_rotation where grant_no = $1 and token_hash = $2 and rotated_at > $3",
        grant,
        &token_hash[..],
        oldest
    );
    statement.fetch_optional(connection).await
}

/// Revokes a grant, and deletes its access tokens and rotations.
pub(super) async fn revoke_grant(
    connection: &mut PgConnection,
    grant: i64,
    now: DateTime<Utc>,
) -> Result<()> {
    let statement = sqlx::query!(
        r#"with deleted as (delete from oauth_access_token where grant_no = $1),
                rotations as (delete from oauth_rotation where grant_no = $1)
           update oauth_grant set revoked_at = coalesce(revoked_at, $2) where no = $1"#,
        grant,
        now
    );
    statement.execute(connection).await.map(|_| ())
}

/// Returns the agent of an access token, unless it has expired or was revoked.
pub(super) async fn find_access_token(
    pool: &PgPool,
    token_hash: &Blake3Hash,
    now: DateTime<Utc>,
) -> Result<Option<AccessTokenRow>> {
    let statement = sqlx::query_as!(
        AccessTokenRow,
        r#"select a.id as agent_id, g.key_generation, t.expires_at
           from oauth_access_token t join oauth_grant g on g.no = t.grant_no join agent a on a.no = g.agent
           where t.token_hash = $1 and t.expires_at > $2 and g.revoked_at is null"#,
        &token_hash[..],
        now
    );
    statement.fetch_optional(pool).await
}

/// Deletes expired tokens and grants, rotations before `oldest_rotation`, and clients without a grant that
/// were not used for long.
pub(super) async fn delete_expired(
    pool: &PgPool,
    now: DateTime<Utc>,
    oldest_rotation: DateTime<Utc>,
) -> Result<()> {
    sqlx::query!("delete from oauth_access_token where expires_at <= $1", now).execute(pool).await?;
    sqlx::query!("delete from oauth_grant where expires_at <= $1", now).execute(pool).await?;
    sqlx::query!("delete from oauth_rotation where rotated_at <= $1", oldest_rotation).execute(pool).await?;
    let statement = sqlx::query!(
        r#"delete from oauth_client c
           where (used_at < $1 or (used_at is null and created_at < $2))
             and not exists (select from oauth_grant g where g.client = c.id)"#,
        now - CLIENT_RETENTION,
        now - UNUSED_CLIENT_RETENTION
    );
    statement.execute(pool).await.map(|_| ())
}
