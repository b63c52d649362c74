//! Keys: made, hashed, looked up and changed. A key is shown once and kept nowhere.

use std::sync::Arc;

use rules::rights::AccountKind;

use crate::log::roster::{Agent, KeyHash};
use crate::refusal::Refusal;
use crate::state::AppState;
use crate::tokens::{self, hash};

use super::store;

/// What every agent's key begins with.
pub const PREFIX: &str = "cp_";
/// What every viewer's key begins with.
pub const VIEWER_PREFIX: &str = "gp_";
/// Characters in a key.
pub const LENGTH: usize = PREFIX.len() + tokens::LENGTH;

/// A new key with this beginning, and its hash.
///
/// # Errors
/// When there is no randomness to be had.
pub fn new_key(prefix: &str) -> Result<(String, KeyHash), Refusal> {
    let key = format!("{prefix}{}", tokens::new_token()?);
    let hash = hash(&key);
    Ok((key, hash))
}

/// The agent that holds this key, if this instance knows it.
pub fn known(state: &AppState, key: &str) -> Option<Arc<Agent>> {
    state.roster.find(&hash(key))
}

/// The agent, or the viewer, that holds a key that is not known here, looked up at a bounded rate.
///
/// # Errors
/// `KeyInvalid`; or that it cannot be known now.
pub async fn look_up(state: &AppState, key: &str) -> Result<Arc<Agent>, Refusal> {
    let hash = hash(key);
    state.admit_look_up(kind_of(key).ok_or(Refusal::KeyInvalid)?)?;
    let control = state.roster.control();
    let agent = store::by_key(&state.pool, &hash).await?.ok_or(Refusal::KeyInvalid)?;
    let agent = Arc::new(agent);
    state.roster.remember(agent.clone(), control);
    Ok(agent)
}

/// Whose key this may be; nobody's, if it is not of the form that keys have.
fn kind_of(key: &str) -> Option<AccountKind> {
    let is_of = |prefix| key.strip_prefix(prefix).is_some_and(tokens::is_token);
    if is_of(PREFIX) { Some(AccountKind::Agent) } else { is_of(VIEWER_PREFIX).then_some(AccountKind::Viewer) }
}

/// Gives an agent a new key; the old one stops at once, on every instance.
///
/// # Errors
/// `KeyInvalid` when the key was changed meanwhile; or that the database cannot be written.
pub async fn change(state: &AppState, agent: &Agent) -> Result<String, Refusal> {
    let (key, hash) = new_key(PREFIX)?;
    let control = state.roster.control();
    let changed = store::change_key(&state.pool, agent, &hash, state.clock.offset()).await?;
    state.roster.forget(&[agent.no], control);
    changed.then_some(key).ok_or(Refusal::KeyInvalid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_the_expected_length_and_differ() {
        let ((one, hash_of_one), (other, _)) = (new_key(PREFIX).unwrap(), new_key(VIEWER_PREFIX).unwrap());
        assert_ne!(one, other);
        assert_eq!(one.len(), LENGTH);
        assert_eq!(hash(&one), hash_of_one);
    }
}
