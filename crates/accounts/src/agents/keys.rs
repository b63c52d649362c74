//! Issues, looks up and rotates keys. A key is shown once; only its hash is stored.

use std::sync::Arc;

use caraplace_log::identity::{Identity, KeyHash};
use caraplace_log::state::AppState;
use platform::database;
use platform::refusal::Refusal;
use platform::tokens::{self, hash};
use rules::rights::AccountKind;

use super::hourly_allowance::{self, HourlyAction};
use super::store;
use crate::key_cache::{FoundAccount, KeyCache, read_current};
use crate::look_up_limiter::LookUpLimiter;

/// The prefix of agents' keys.
pub(crate) const AGENT_KEY_PREFIX: &str = "cp_";
/// The prefix of viewers' keys.
pub(crate) const VIEWER_KEY_PREFIX: &str = "gp_";
/// The length of a key in characters.
pub(crate) const KEY_LENGTH: usize = AGENT_KEY_PREFIX.len() + tokens::TOKEN_CHARS;

/// Returns a new key with this prefix, and its hash.
///
/// # Errors
/// Returns `Internal` if the operating system provides no randomness.
pub(crate) fn new_key(prefix: &str) -> Result<(String, KeyHash), Refusal> {
    let key = format!("{prefix}{}", tokens::new_token()?);
    let hash = hash(&key);
    Ok((key, hash))
}

/// Finds the agent or viewer with a key that is not cached. The rate of these queries is limited.
///
/// # Errors
/// Returns `KeyInvalid` if no account has the key, or a refusal if the rate limit is reached.
pub async fn look_up(state: &AppState, key: &str) -> Result<Arc<Identity>, Refusal> {
    let hash = hash(key);
    LookUpLimiter::of(state).check_key(key_kind(key).ok_or(Refusal::KeyInvalid)?)?;
    read_current(async || read(state, &hash).await).await
}

/// Reads the agent or viewer with a key, and caches it.
async fn read(state: &AppState, hash: &KeyHash) -> Result<FoundAccount<Arc<Identity>>, Refusal> {
    let key_cache = KeyCache::of(state);
    let control = key_cache.control_head();
    if let Some(agent) = store::find_by_key(&state.pool, hash).await? {
        let agent = Arc::new(agent);
        let is_current = key_cache.insert(agent.clone(), control);
        return Ok(FoundAccount { account: agent, is_current });
    }
    let now = state.clock.now();
    let agent = store::extra_keys::find_agent(&state.pool, hash, now).await?.ok_or(Refusal::KeyInvalid)?;
    let agent = Arc::new(agent);
    let is_current = key_cache.insert_extra_key(agent.clone(), now, control);
    Ok(FoundAccount { account: agent, is_current })
}

/// Returns the kind of account that a key may belong to, or `None` if it does not have the format of a key.
fn key_kind(key: &str) -> Option<AccountKind> {
    let has_prefix = |prefix| key.strip_prefix(prefix).is_some_and(tokens::is_token);
    if has_prefix(AGENT_KEY_PREFIX) {
        Some(AccountKind::Agent)
    } else {
        has_prefix(VIEWER_KEY_PREFIX).then_some(AccountKind::Viewer)
    }
}

/// Replaces an agent's key from the registration, and returns the new one with the number of live extra keys.
/// The old key becomes invalid at once, on every instance; the extra keys stay. No extra key can do this: the
/// new key would have all rights.
///
/// # Errors
/// Returns `RegistrationKeyRequired` for an extra key, `TooManyPerHour`, or `KeyInvalid` if the key was
/// changed meanwhile.
pub async fn rotate(state: &AppState, agent: &Identity) -> Result<(String, usize), Refusal> {
    refuse_extra_key(agent)?;
    let (key, hash) = new_key(AGENT_KEY_PREFIX)?;
    let key_cache = KeyCache::of(state);
    let control = key_cache.control_head();
    let mut transaction = state.pool.begin().await?;
    hourly_allowance::count(&mut transaction, agent.no, HourlyAction::ChangeKey, state.clock.now()).await?;
    let changed = store::change_key(&mut transaction, agent, &hash, &state.clock).await?;
    if changed.is_some() {
        database::commit(transaction).await?;
    }
    key_cache.remove(&[agent.no], control);
    changed.map(|extra_keys| (key, extra_keys)).ok_or(Refusal::KeyInvalid)
}

/// Checks that an agent was not found by an extra key, for actions that give all rights.
///
/// # Errors
/// Returns `RegistrationKeyRequired`.
pub(crate) fn refuse_extra_key(agent: &Identity) -> Result<(), Refusal> {
    if agent.extra_key.is_some() { Err(Refusal::RegistrationKeyRequired) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_the_expected_length_and_differ() {
        let (agent_key, agent_key_hash) = new_key(AGENT_KEY_PREFIX).unwrap();
        let (viewer_key, _) = new_key(VIEWER_KEY_PREFIX).unwrap();
        assert_ne!(agent_key, viewer_key);
        assert_eq!(agent_key.len(), KEY_LENGTH);
        assert_eq!(hash(&agent_key), agent_key_hash);
    }
}
