//! Access tokens: looks up the agent as which a client acts.

use std::sync::Arc;

use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use platform::refusal::Refusal;
use platform::tokens::hash;
use rules::rights::AccountKind;

use super::{ACCESS_TOKEN_FORMAT, ACCESS_TOKEN_PREFIX, issued_part, store};
use crate::agents::accounts;
use crate::key_cache::KeyCache;

/// Returns true if a bearer token is an access token, valid or not, and no key.
pub fn is_access_token(token: &str) -> bool {
    token.starts_with(ACCESS_TOKEN_PREFIX)
}

/// Returns true if an access token was issued here. It may have ended.
pub fn is_issued(state: &AppState, token: &str) -> bool {
    issued_part(state, &ACCESS_TOKEN_FORMAT, token).is_some()
}

/// Finds the agent of an access token that is not cached.
///
/// # Errors
/// `KeyInvalid` if the token has expired, was revoked or never existed.
pub async fn look_up(state: &AppState, token: &str) -> Result<Arc<Identity>, Refusal> {
    if !is_issued(state, token) {
        return Err(Refusal::KeyInvalid);
    }
    let token_hash = hash(token);
    let now = state.clock.now();
    let key_cache = KeyCache::of(state);
    let control_head = key_cache.control_head();
    let found = store::find_access_token(&state.pool, &token_hash, now).await?.ok_or(Refusal::KeyInvalid)?;
    // A new key of the agent ends its tokens.
    let is_current = |agent: &Identity| {
        agent.key_generation == found.key_generation && agent.rights.kind == AccountKind::Agent
    };
    let agent = accounts::find(state, &found.agent_id).await?.filter(is_current);
    let agent = Arc::new(agent.ok_or(Refusal::KeyInvalid)?);
    key_cache.insert_token(token_hash, agent.clone(), [now, found.expires_at], control_head);
    Ok(agent)
}
