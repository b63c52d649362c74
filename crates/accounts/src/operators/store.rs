//! The SQL of operator sessions, keys and sign-in tallies.

pub(super) mod accounts;
pub(super) mod invitations;

use std::collections::HashSet;

use caraplace_log::state::AppState;
use chrono::{DateTime, TimeDelta, Utc};
use platform::tokens::Blake3Hash;
use rules::lockout::{AttemptCounter, LockoutPolicy};
use rules::operators::OperatorRole;
use sqlx::{PgConnection, PgPool};

use super::{ALL_ADDRESSES, MAX_IDLE_SECONDS, MAX_SESSION_SECONDS, OperatorKey, OperatorSession};

type Result<T, E = sqlx::Error> = std::result::Result<T, E>;

const OWN_TALLY_POLICY: LockoutPolicy =
    LockoutPolicy { free_attempts: 5, first_wait: TimeDelta::seconds(15) };
const SHARED_TALLY_POLICY: LockoutPolicy =
    LockoutPolicy { free_attempts: 60, first_wait: TimeDelta::seconds(1) };
/// The number of days for which an address that has signed in is not delayed by attempts from elsewhere.
const TRUSTED_DAYS: i32 = 30;

/// The operator of a live session.
pub(super) struct SessionRow {
    pub id: String,
    pub name: String,
    pub role: OperatorRole,
    pub since: DateTime<Utc>,
}

/// A live key with its operator.
pub(super) struct KeyRow {
    pub key_name: String,
    pub scopes: Vec<String>,
    pub created_at: DateTime<Utc>,
    pub id: String,
    pub name: String,
    pub role: OperatorRole,
}

/// A new key.
pub(super) struct NewOperatorKeyRow<'a> {
    pub id: &'a str,
    pub name: &'a str,
    pub key_hash: &'a Blake3Hash,
    pub operator_id: &'a str,
    pub scopes: &'a [String],
}

/// Counts one more attempt in a sign-in's own tally of wrong passwords and in the shared one. Returns the
/// time to wait if the attempt is locked.
pub(super) async fn count_attempt(
    state: &AppState,
    [own_name, shared_name]: &[String; 2],
) -> Result<Result<(), TimeDelta>> {
    let mut transaction = state.pool.begin().await?;
    let now = caraplace_log::database_time(&mut transaction, state.clock.offset()).await?;
    // The order is always the same, so that two attempts cannot deadlock.
    let (own, is_trusted) = lock_tally(&mut transaction, own_name, now).await?;
    let own = match own.with_attempt(OWN_TALLY_POLICY, now) {
        Ok(own) => own,
        Err(wait) => return Ok(Err(wait)),
    };
    save_tally(&mut transaction, own_name, &own).await?;
    // A device neither counts towards the attempts of others nor waits for the row that they share.
    if shared_name != own_name {
        let (shared, _) = lock_tally(&mut transaction, shared_name, now).await?;
        match shared.with_attempt(SHARED_TALLY_POLICY, now) {
            Ok(shared) => save_tally(&mut transaction, shared_name, &shared).await?,
            Err(_) if is_trusted && shared_name == ALL_ADDRESSES => {}
            Err(wait) => return Ok(Err(wait)),
        }
    }
    transaction.commit().await?;
    Ok(Ok(()))
}

/// Locks a tally until the transaction ends. Returns it, and true if its owner has signed in recently.
async fn lock_tally(
    connection: &mut PgConnection,
    name: &str,
    now: DateTime<Utc>,
) -> Result<(AttemptCounter, bool)> {
    sqlx::query!(
        "insert into sign_in_tally (who, last_at, locked_until) values ($1, $2, $2) on conflict do nothing",
        name,
        now
    )
    .execute(&mut *connection)
    .await?;
    let row = sqlx::query!(
        r#"select wrong, last_at, locked_until,
                  coalesce(let_in_at > $2::timestamptz - make_interval(days => $3), false) as "trusted!"
           from sign_in_tally where who = $1 for update"#,
        name,
        now,
        TRUSTED_DAYS
    )
    .fetch_one(connection)
    .await?;
    let tally = AttemptCounter { wrong: row.wrong, last_at: row.last_at, locked_until: row.locked_until };
    Ok((tally, row.trusted))
}

async fn save_tally(connection: &mut PgConnection, name: &str, tally: &AttemptCounter) -> Result<()> {
    sqlx::query!(
        "update sign_in_tally set wrong = $2, last_at = $3, locked_until = $4 where who = $1",
        name,
        tally.wrong,
        tally.last_at,
        tally.locked_until
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Resets the sign-in's own tally after a correct password, and subtracts the attempt from the shared one.
pub(super) async fn reset_tallies(state: &AppState, [own_name, shared_name]: &[String; 2]) -> Result<()> {
    sqlx::query!(
        r#"update sign_in_tally
           set wrong = case when who = $1 then 0 else greatest(wrong - 1, 0) end,
               locked_until = clock_timestamp() + $3::interval,
               let_in_at = case when who = $1 then clock_timestamp() + $3::interval end
           where who in ($1, $2)"#,
        own_name.as_str(),
        shared_name.as_str(),
        state.clock.offset() as _
    )
    .execute(&state.pool)
    .await?;
    Ok(())
}

/// Inserts a session. Returns false if the operator was disabled or its password replaced, after which it has
/// another hash than `password_hash`; a simultaneous change is waited for.
pub(super) async fn start_session(
    state: &AppState,
    token_hash: &Blake3Hash,
    operator_id: &str,
    password_hash: Option<&str>,
    address: &str,
) -> Result<bool> {
    let statement = sqlx::query!(
        r#"insert into operator_session (token_hash, operator_id, address, since, seen_at)
           select $1, o.id, $3, now, now
           from operator o, (select clock_timestamp() + $4::interval as now) as clock
           where o.id = $2 and o.disabled_at is null and o.password_hash is not distinct from $5
           for share of o"#,
        &token_hash[..],
        operator_id,
        address,
        state.clock.offset() as _,
        password_hash
    );
    Ok(statement.execute(&state.pool).await?.rows_affected() == 1)
}

/// Returns the operator and the start of an active session, and marks it as used now.
pub(super) async fn find_session(state: &AppState, token_hash: &Blake3Hash) -> Result<Option<SessionRow>> {
    let statement = sqlx::query_as!(
        SessionRow,
        r#"with clock as (
               select clock_timestamp() + $2::interval as now
           ), found as (
               select s.since, s.seen_at, clock.now, o.id, o.name, o.role
               from clock, operator_session s
               join operator o on o.id = s.operator_id and o.disabled_at is null
               where s.token_hash = $1 and s.since > now - make_interval(secs => $3)
                 and s.seen_at > now - make_interval(secs => $4)
           ), used as (
               update operator_session s set seen_at = found.now from found
               where s.token_hash = $1 and found.seen_at < found.now - interval '1 minute'
           )
           select id as "id!", name as "name!", role as "role!: OperatorRole", since as "since!" from found"#,
        &token_hash[..],
        state.clock.offset() as _,
        MAX_SESSION_SECONDS as f64,
        MAX_IDLE_SECONDS as f64
    );
    statement.fetch_optional(&state.pool).await
}

/// Returns the live sessions of an operator, the one that was used last first.
pub(super) async fn list_sessions(
    pool: &PgPool,
    operator_id: &str,
    now: DateTime<Utc>,
) -> Result<Vec<OperatorSession>> {
    let statement = sqlx::query_as!(
        OperatorSession,
        r#"select encode(token_hash, 'hex') as "id!", address, since, seen_at from operator_session
           where operator_id = $1 and since > $2::timestamptz - make_interval(secs => $3)
             and seen_at > $2::timestamptz - make_interval(secs => $4)
           order by seen_at desc, token_hash"#,
        operator_id,
        now,
        MAX_SESSION_SECONDS as f64,
        MAX_IDLE_SECONDS as f64
    );
    statement.fetch_all(pool).await
}

/// Deletes a session of an operator by its id. Returns false if there is none.
pub(super) async fn delete_session_by_id(
    connection: &mut PgConnection,
    operator_id: &str,
    id: &str,
) -> Result<bool> {
    let statement = sqlx::query!(
        "delete from operator_session where operator_id = $1 and encode(token_hash, 'hex') = $2",
        operator_id,
        id
    );
    Ok(statement.execute(connection).await?.rows_affected() == 1)
}

/// Deletes the sessions of an operator, all but the one with the id `kept`.
pub(super) async fn delete_other_sessions(
    connection: &mut PgConnection,
    operator_id: &str,
    kept: Option<&str>,
) -> Result<()> {
    let statement = sqlx::query!(
        r#"delete from operator_session
           where operator_id = $1 and encode(token_hash, 'hex') is distinct from $2"#,
        operator_id,
        kept
    );
    statement.execute(connection).await.map(|_| ())
}

/// Deletes a session.
pub(super) async fn delete_session(pool: &PgPool, token_hash: &Blake3Hash) -> Result<()> {
    sqlx::query!("delete from operator_session where token_hash = $1", &token_hash[..]).execute(pool).await?;
    Ok(())
}

/// Inserts a key. Fails if another live key has its name.
pub(super) async fn insert_key(
    connection: &mut PgConnection,
    row: &NewOperatorKeyRow<'_>,
    offset: TimeDelta,
) -> Result<()> {
    let statement = sqlx::query!(
        r#"insert into operator_key (id, name, key_hash, operator_id, scopes, created_at)
           values ($1, $2, $3, $4, $5, clock_timestamp() + $6::interval)"#,
        row.id,
        row.name,
        &row.key_hash[..],
        row.operator_id,
        row.scopes,
        offset as _
    );
    statement.execute(connection).await.map(|_| ())
}

/// Returns the keys of an operator, or of all with `None`, newest first.
pub(super) async fn list_keys(pool: &PgPool, operator_id: Option<&str>) -> Result<Vec<OperatorKey>> {
    let statement = sqlx::query_as!(
        OperatorKey,
        r#"select k.id, k.name, o.name as operator, k.scopes, k.created_at, k.used_at, k.revoked_at
           from operator_key k join operator o on o.id = k.operator_id
           where $1::text is null or k.operator_id = $1 order by k.created_at desc, k.id"#,
        operator_id
    );
    statement.fetch_all(pool).await
}

/// Returns the hashes of live keys, most recently used first.
pub(super) async fn list_live_key_hashes(pool: &PgPool, limit: i64) -> Result<HashSet<Blake3Hash>> {
    let statement = sqlx::query_scalar!(
        r#"select key_hash from operator_key where revoked_at is null
           order by used_at desc nulls last limit $1"#,
        limit
    );
    Ok(statement.fetch_all(pool).await?.into_iter().filter_map(|hash| hash.try_into().ok()).collect())
}

/// Revokes a live key of an operator, or of any with `None`, and returns its name.
pub(super) async fn revoke_key(
    connection: &mut PgConnection,
    id: &str,
    operator_id: Option<&str>,
    offset: TimeDelta,
) -> Result<Option<String>> {
    let statement = sqlx::query_scalar!(
        r#"update operator_key set revoked_at = clock_timestamp() + $3::interval
           where id = $1 and ($2::text is null or operator_id = $2) and revoked_at is null returning name"#,
        id,
        operator_id,
        offset as _
    );
    statement.fetch_optional(connection).await
}

/// Revokes the live keys of an operator, and returns their names.
pub(super) async fn revoke_keys(
    connection: &mut PgConnection,
    operator_id: &str,
    offset: TimeDelta,
) -> Result<Vec<String>> {
    let statement = sqlx::query_scalar!(
        r#"update operator_key set revoked_at = clock_timestamp() + $2::interval
           where operator_id = $1 and revoked_at is null returning name"#,
        operator_id,
        offset as _
    );
    statement.fetch_all(connection).await
}

/// Returns a live key with its operator, and marks it as used now.
pub(super) async fn find_key(state: &AppState, key_hash: &Blake3Hash) -> Result<Option<KeyRow>> {
    let statement = sqlx::query_as!(
        KeyRow,
        r#"with clock as (
               select clock_timestamp() + $2::interval as now
           ), used as (
               update operator_key k set used_at = clock.now from clock
               where k.key_hash = $1 and k.revoked_at is null
                 and coalesce(k.used_at < clock.now - interval '1 minute', true)
           )
           select k.name as key_name, k.scopes, k.created_at, o.id, o.name, o.role as "role: OperatorRole"
           from operator_key k join operator o on o.id = k.operator_id and o.disabled_at is null
           where k.key_hash = $1 and k.revoked_at is null"#,
        &key_hash[..],
        state.clock.offset() as _
    );
    statement.fetch_optional(&state.pool).await
}

/// Deletes expired sessions and tallies.
pub(super) async fn delete_expired(state: &AppState) -> Result<()> {
    sqlx::query!(
        r#"with clock as (
               select clock_timestamp() + $1::interval as now
           ), ended as (
               delete from operator_session s using clock
               where s.since < now - make_interval(secs => $2) or s.seen_at < now - make_interval(secs => $3)
           )
           delete from sign_in_tally t using clock
           where t.last_at < now - interval '1 day'
             and coalesce(t.let_in_at < now - make_interval(days => $4), true)"#,
        state.clock.offset() as _,
        MAX_SESSION_SECONDS as f64,
        MAX_IDLE_SECONDS as f64,
        TRUSTED_DAYS
    )
    .execute(&state.pool)
    .await?;
    Ok(())
}
