//! Who is signed in: a random token in a cookie, of which only the hash is kept.

use chrono::TimeDelta;
use sqlx::PgConnection;

use super::store;
use crate::agents::holder;
use crate::log::Log;
use crate::refusal::Refusal;
use crate::roster::Agent;
use crate::rules::rights::Kind;
use crate::tokens::{hash, is_token, new_token};

/// How long a session lasts.
pub const LASTS: TimeDelta = TimeDelta::days(90);

/// Opens a session for a viewer, always under a new token.
pub(super) async fn open(connection: &mut PgConnection, log: &Log, viewer: i64) -> Result<String, Refusal> {
    let token = new_token()?;
    store::open_session(connection, &hash(&token), viewer, log.clock.now() + LASTS).await?;
    Ok(token)
}

/// Signs a viewer in.
///
/// # Errors
/// That the database cannot be written.
pub async fn sign_in(log: &Log, viewer: &Agent) -> Result<String, Refusal> {
    let mut connection = log.pool.acquire().await?;
    open(&mut connection, log, viewer.no).await
}

/// Who is signed in under a token.
///
/// # Errors
/// `KeyInvalid` when nobody is, or not any more; or that the database cannot be read.
pub async fn find(log: &Log, token: &str) -> Result<Agent, Refusal> {
    if !is_token(token) {
        return Err(Refusal::KeyInvalid);
    }
    log.admit_look_up(Kind::Viewer)?;
    let mut connection = log.pool.acquire().await?;
    let viewer = store::session(&mut connection, &hash(token), log.clock.now()).await?;
    drop(connection);
    holder::by_id(log, &viewer.ok_or(Refusal::KeyInvalid)?).await?.ok_or(Refusal::KeyInvalid)
}

/// Signs out.
///
/// # Errors
/// That the database cannot be written.
pub async fn sign_out(log: &Log, token: &str) -> Result<(), Refusal> {
    let mut connection = log.pool.acquire().await?;
    Ok(store::close_session(&mut connection, &hash(token)).await?)
}
