//! Access tokens and extra keys in memory, as parts of the cache of keys.

use std::collections::HashMap;
use std::sync::Arc;

use caraplace_log::identity::{Identity, KeyHash};
use chrono::{DateTime, Utc};
use rules::numbers::AccountNo;

/// The maximum number of cached tokens. Beyond it all are dropped, and found again in the database.
const MAX_CACHED_TOKENS: usize = 100_000;

/// The agents of access tokens, or of extra keys, by their hashes.
#[derive(Default)]
pub(super) struct CachedTokens {
    by_hash: HashMap<KeyHash, CachedToken>,
    by_agent: HashMap<AccountNo, Vec<KeyHash>>,
}

struct CachedToken {
    agent: Arc<Identity>,
    expires_at: DateTime<Utc>,
}

impl CachedTokens {
    /// Returns the agent of a token; `None` if it is not cached or has expired.
    pub fn find(&self, hash: &KeyHash, now: DateTime<Utc>) -> Option<Arc<Identity>> {
        let token = self.by_hash.get(hash).filter(|token| token.expires_at > now)?;
        Some(token.agent.clone())
    }

    /// Caches a token, and drops the expired ones of the same agent.
    pub fn insert(
        &mut self,
        hash: KeyHash,
        agent: Arc<Identity>,
        expires_at: DateTime<Utc>,
        now: DateTime<Utc>,
    ) {
        if self.by_hash.len() >= MAX_CACHED_TOKENS {
            *self = Self::default();
        }
        let by_hash = &mut self.by_hash;
        let hashes = self.by_agent.entry(agent.no).or_default();
        hashes.retain(|known| {
            let is_live = by_hash.get(known).is_some_and(|token| token.expires_at > now);
            if !is_live {
                by_hash.remove(known);
            }
            is_live && *known != hash
        });
        hashes.push(hash);
        by_hash.insert(hash, CachedToken { agent, expires_at });
    }

    /// Returns true if a token is cached.
    pub fn contains(&self, hash: &KeyHash) -> bool {
        self.by_hash.contains_key(hash)
    }

    /// Returns what is cached of an agent, once for each of its tokens.
    pub fn agents_mut(&mut self, agent: AccountNo) -> impl Iterator<Item = &mut Arc<Identity>> {
        let hashes = self.by_agent.get(&agent).map(Vec::as_slice).unwrap_or_default();
        let tokens = self.by_hash.iter_mut().filter(|(hash, _)| hashes.contains(hash));
        tokens.map(|(_, token)| &mut token.agent)
    }

    /// Returns the numbers of the agents of cached tokens.
    pub fn agents(&self) -> impl Iterator<Item = AccountNo> {
        self.by_agent.keys().copied()
    }

    /// Drops the tokens of an agent.
    pub fn remove(&mut self, agent: AccountNo) {
        for hash in self.by_agent.remove(&agent).into_iter().flatten() {
            self.by_hash.remove(&hash);
        }
    }
}
