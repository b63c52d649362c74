//! Sessions of viewers: a random token in a cookie, stored as a hash.

use std::sync::Arc;

use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use chrono::TimeDelta;
use platform::database;
use platform::refusal::Refusal;
use platform::tokens::{hash, is_token};
use rules::numbers::AccountNo;
use sqlx::PgConnection;

use super::store::{self, ViewerAccountRow};
use crate::agents::accounts;
use crate::key_cache::{FoundAccount, KeyCache, read_current};
use crate::look_up_limiter::LookUpLimiter;

/// The lifetime of a session.
pub const SESSION_LIFETIME: TimeDelta = TimeDelta::days(90);

/// Opens a session for a viewer under a new token.
pub(super) async fn open(
    connection: &mut PgConnection,
    state: &AppState,
    viewer: AccountNo,
) -> Result<String, Refusal> {
    let token = state.tokens.viewer_sessions.issue()?;
    store::insert_session(connection, &hash(&token), viewer, state.clock.now() + SESSION_LIFETIME).await?;
    Ok(token)
}

/// Checks that the viewer's key is still valid. The caller must have locked the viewer, so that its key
/// cannot change.
pub(super) async fn check_key(
    connection: &mut PgConnection,
    viewer: &Identity,
) -> Result<ViewerAccountRow, Refusal> {
    let account = store::find_viewer_account(connection, viewer.no).await?;
    let valid = account.filter(|account| account.key_generation == viewer.key_generation);
    valid.ok_or(Refusal::KeyInvalid)
}

/// Signs a viewer in and returns the session token.
///
/// # Errors
/// `KeyInvalid` if the key was changed meanwhile.
pub async fn sign_in(state: &AppState, viewer: &Identity) -> Result<String, Refusal> {
    let mut transaction = state.pool.begin().await?;
    // A key change comes before or after this and ends existing sessions, so no session outlives its key.
    store::lock_viewer_for_share(&mut transaction, viewer.no).await?;
    check_key(&mut transaction, viewer).await?;
    let token = open(&mut transaction, state, viewer.no).await?;
    database::commit(transaction).await?;
    Ok(token)
}

/// Returns true if a token was issued here. Its session may have ended. Old tokens without a tag do not
/// count.
pub fn is_issued(state: &AppState, token: &str) -> bool {
    state.tokens.viewer_sessions.has_issued(token)
}

/// Returns the viewer of a session. Tokens that were issued here are always looked up, others only at a
/// limited rate.
///
/// # Errors
/// `KeyInvalid` if the session has ended or never existed.
pub async fn find(state: &AppState, token: &str) -> Result<Identity, Refusal> {
    if !is_token(token) {
        return Err(Refusal::KeyInvalid);
    }
    if !is_issued(state, token) {
        LookUpLimiter::of(state).check_session()?;
    }
    let session = store::find_session(&state.pool, &hash(token), state.clock.now()).await?;
    let (id, key_generation) = session.ok_or(Refusal::KeyInvalid)?;
    // A key change ends the session.
    let viewer = accounts::find(state, &id).await?.filter(|viewer| viewer.key_generation == key_generation);
    viewer.ok_or(Refusal::KeyInvalid)
}

/// Returns the viewer of a session from memory; `None` within if there is no such session, `None` if it must
/// be looked up with [`look_up_for_reads`].
pub fn find_cached(state: &AppState, token: &str) -> Option<Option<Arc<Identity>>> {
    if is_token(token) { KeyCache::of(state).find_session(&hash(token)) } else { Some(None) }
}

/// Returns the viewer of a session for reads, which a session that ended a few seconds ago may still do;
/// `None` if there is no such session.
///
/// # Errors
/// A refusal if the rate limit is reached.
pub async fn look_up_for_reads(state: &AppState, token: &str) -> Result<Option<Arc<Identity>>, Refusal> {
    read_current(async || read_for_reads(state, token).await).await
}

/// Reads the viewer of a session, and caches what was found.
async fn read_for_reads(
    state: &AppState,
    token: &str,
) -> Result<FoundAccount<Option<Arc<Identity>>>, Refusal> {
    let key_cache = KeyCache::of(state);
    let control = key_cache.control_head();
    let viewer = match find(state, token).await {
        Ok(viewer) => Ok(Some(Arc::new(viewer))),
        Err(Refusal::KeyInvalid) => Ok(None),
        Err(Refusal::Overloaded) => return Err(Refusal::Overloaded),
        Err(error) => Err(error),
    };
    // While the database is down, the next reads need not wait for it.
    let found = viewer.as_ref().ok().cloned().flatten();
    let is_cached = key_cache.insert_session(hash(token), found, control);
    let account = viewer?;
    // Without a viewer, there is no stream that could end.
    Ok(FoundAccount { is_current: is_cached || account.is_none(), account })
}

/// Signs a viewer out.
pub async fn sign_out(state: &AppState, token: &str) -> Result<(), Refusal> {
    store::delete_session(&state.pool, &hash(token)).await?;
    KeyCache::of(state).remove_session(&hash(token));
    Ok(())
}
