//! Who is signed in: a random token in a cookie, of which only the hash is kept.

use chrono::TimeDelta;
use sqlx::PgConnection;

use super::store::{self, ViewerAccountRow};
use crate::agents::accounts;
use crate::database;
use crate::log::key_cache::Agent;
use crate::refusal::Refusal;
use crate::state::AppState;
use crate::tokens::{hash, is_token};

/// How long a session lasts.
pub const SESSION_LIFETIME: TimeDelta = TimeDelta::days(90);

/// Opens a session for a viewer, always under a new token.
pub(super) async fn open(
    connection: &mut PgConnection,
    state: &AppState,
    viewer: i64,
) -> Result<String, Refusal> {
    let token = state.tokens.viewer_sessions.issue()?;
    store::insert_session(connection, &hash(&token), viewer, state.clock.now() + SESSION_LIFETIME).await?;
    Ok(token)
}

/// Passes whose key holds. The viewer must be locked: then no other key is made meanwhile.
pub(super) async fn check_key(
    connection: &mut PgConnection,
    viewer: &Agent,
) -> Result<ViewerAccountRow, Refusal> {
    let account = store::find_viewer_account(connection, viewer.no).await?;
    let valid = account.filter(|bearer| bearer.key_generation == viewer.key_generation);
    valid.ok_or(Refusal::KeyInvalid)
}

/// Signs a viewer in.
///
/// # Errors
/// `KeyInvalid` when the key was changed meanwhile; or that the database cannot be written.
pub async fn sign_in(state: &AppState, viewer: &Agent) -> Result<String, Refusal> {
    let mut transaction = state.pool.begin().await?;
    // A new key is made before this or after it, and ends what it finds: no session outlives its key.
    store::lock_viewer_for_share(&mut transaction, viewer.no).await?;
    check_key(&mut transaction, viewer).await?;
    let token = open(&mut transaction, state, viewer.no).await?;
    database::commit(transaction).await?;
    Ok(token)
}

/// Whether a token was issued for a session here, which may have ended. Those from before tokens had tags were not.
pub fn is_issued(state: &AppState, token: &str) -> bool {
    state.tokens.viewer_sessions.has_issued(token)
}

/// Returns the viewer who is signed in under a token. One that was issued here is looked up whatever others have guessed.
///
/// # Errors
/// `KeyInvalid` when nobody is, or not any more; or that the database cannot be read.
pub async fn find(state: &AppState, token: &str) -> Result<Agent, Refusal> {
    if !is_token(token) {
        return Err(Refusal::KeyInvalid);
    }
    if !is_issued(state, token) {
        state.check_session_look_up_limit()?;
    }
    let session = store::find_session(&state.pool, &hash(token), state.clock.now()).await?;
    let (id, key_generation) = session.ok_or(Refusal::KeyInvalid)?;
    // A key that was made since has ended the session.
    let viewer = accounts::find(state, &id).await?.filter(|viewer| viewer.key_generation == key_generation);
    viewer.ok_or(Refusal::KeyInvalid)
}

/// Signs out.
///
/// # Errors
/// That the database cannot be written.
pub async fn sign_out(state: &AppState, token: &str) -> Result<(), Refusal> {
    Ok(store::delete_session(&state.pool, &hash(token)).await?)
}
