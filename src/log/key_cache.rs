//! The cache of agents by API key and by access token, and of viewers by session, which the control log
//! invalidates.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use parking_lot::RwLock;
use rules::rights::Rights;

use super::cached_tokens::CachedTokens;
use crate::clock::monotonic_now;
use crate::tokens::Blake3Hash;

/// The BLAKE3 hash of a key.
pub type KeyHash = Blake3Hash;

/// An agent's identity. The writer reads its account.
#[derive(Clone, Debug)]
pub struct Agent {
    /// The number in the database.
    pub no: i64,
    /// `agent_…`.
    pub id: Arc<str>,
    pub name: Arc<str>,
    /// Increases with each new key. The writer refuses commands under an older one.
    pub key_generation: i32,
    pub key_hash: KeyHash,
    /// The rights as of the look-up. The writer checks the current ones.
    pub rights: Rights,
    /// True if it may see messages, reactions or intents otherwise than everyone else, because it is or was
    /// shadow-banned.
    pub has_own_view: bool,
}

impl Agent {
    fn with_shadow_ban(&self, shadowed: bool) -> Self {
        Self {
            rights: Rights { shadowed, ..self.rights.clone() },
            has_own_view: self.has_own_view || self.rights.shadowed || shadowed,
            ..self.clone()
        }
    }
}

/// The maximum number of cached keys. Beyond it the cache is emptied, and fills again from the database.
const MAX_CACHED_KEYS: usize = 200_000;
/// The maximum number of cached sessions. Beyond it the cache is emptied.
const MAX_CACHED_SESSIONS: usize = 50_000;
/// The time for which reads take a session for what it was when it was looked up. Signing out on another instance
/// takes effect after it, and so does the end of a session.
const SESSION_CACHE_TIME: Duration = Duration::from_secs(10);

/// Agents by key and by access token, as of an entry of the control log.
pub struct KeyCache(RwLock<CachedKeys>);

struct CachedKeys {
    control_head: i64,
    by_key: HashMap<KeyHash, Arc<Agent>>,
    key_by_agent: HashMap<i64, KeyHash>,
    tokens: CachedTokens,
    by_session: HashMap<Blake3Hash, CachedSession>,
}

struct CachedSession {
    /// `None` if there is no such session.
    viewer: Option<Arc<Agent>>,
    found_at: Instant,
}

impl KeyCache {
    /// Returns an empty cache, as of this entry of the control log.
    pub fn new(control_head: i64) -> Self {
        let (by_key, key_by_agent, tokens, by_session) = Default::default();
        Self(RwLock::new(CachedKeys { control_head, by_key, key_by_agent, tokens, by_session }))
    }

    /// Returns the number of the newest applied entry of the control log.
    pub fn control_head(&self) -> i64 {
        self.0.read().control_head
    }

    /// Returns the agent that has this key, if it is cached.
    pub fn find(&self, hash: &KeyHash) -> Option<Arc<Agent>> {
        self.0.read().by_key.get(hash).cloned()
    }

    /// Returns the agent of this access token, if it is cached and has not expired.
    pub fn find_token(&self, hash: &KeyHash, now: DateTime<Utc>) -> Option<Arc<Agent>> {
        self.0.read().tokens.find(hash, now)
    }

    /// Caches an access token that was read while `control_head` was the newest entry. If there is a newer
    /// one, nothing is cached, because the token may have been revoked.
    pub fn insert_token(
        &self,
        hash: KeyHash,
        agent: Arc<Agent>,
        [now, expires_at]: [DateTime<Utc>; 2],
        control_head: i64,
    ) {
        let mut cached = self.0.write();
        if cached.control_head == control_head {
            cached.tokens.insert(hash, agent, expires_at, now);
        }
    }

    /// Caches an agent that was read while `control_head` was the newest entry. If there is a newer one,
    /// nothing is cached, because the key may have changed.
    pub fn insert(&self, agent: Arc<Agent>, control_head: i64) {
        let mut cached = self.0.write();
        if cached.control_head != control_head {
            return;
        }
        if cached.by_key.len() >= MAX_CACHED_KEYS {
            cached.by_key.clear();
            cached.key_by_agent.clear();
        }
        // A new key may be found here before its entry of the control log is applied.
        if let Some(old) = cached.key_by_agent.insert(agent.no, agent.key_hash) {
            cached.by_key.remove(&old);
        }
        cached.by_key.insert(agent.key_hash, agent);
    }

    /// Removes the keys and tokens of these agents, and advances to this entry of the control log.
    pub fn remove(&self, agents: &[i64], control_head: i64) {
        let mut cached = self.0.write();
        cached.control_head = cached.control_head.max(control_head);
        for no in agents {
            cached.tokens.remove(*no);
            if let Some(key) = cached.key_by_agent.remove(no) {
                cached.by_key.remove(&key);
            }
        }
        if !agents.is_empty() {
            let is_of_others = |viewer: &Arc<Agent>| !agents.contains(&viewer.no);
            cached.by_session.retain(|_, session| session.viewer.as_ref().is_some_and(is_of_others));
        }
    }

    /// Sets whether accounts are shadow-banned. They stay cached, so that their streams stay open.
    pub fn set_shadowed(&self, accounts: &[(i64, bool)]) {
        if accounts.is_empty() {
            return;
        }
        let mut cached = self.0.write();
        for (no, shadowed) in accounts {
            let cached = &mut *cached;
            if let Some(agent) = cached.key_by_agent.get(no).and_then(|key| cached.by_key.get_mut(key)) {
                *agent = agent.with_shadow_ban(*shadowed).into();
            }
            cached.tokens.agents_mut(*no).for_each(|agent| *agent = agent.with_shadow_ban(*shadowed).into());
            let viewers = cached.by_session.values_mut().filter_map(|session| session.viewer.as_mut());
            for viewer in viewers.filter(|viewer| viewer.no == *no) {
                *viewer = viewer.with_shadow_ban(*shadowed).into();
            }
        }
    }

    /// Returns true if an account is cached, by its key or by a session. One whose rights have changed since is not.
    pub fn has(&self, agent: &Agent) -> bool {
        let cached = self.0.read();
        let is_same = |viewer: &Arc<Agent>| viewer.no == agent.no;
        cached.by_key.contains_key(&agent.key_hash)
            || cached.by_session.values().any(|session| session.viewer.as_ref().is_some_and(is_same))
    }

    /// Returns the viewer of a session, or `None` within if there is no such session. `None` if it must be looked
    /// up.
    pub fn find_session(&self, session: &Blake3Hash) -> Option<Option<Arc<Agent>>> {
        let cached = self.0.read();
        let found = cached.by_session.get(session)?;
        (found.found_at.elapsed() < SESSION_CACHE_TIME).then(|| found.viewer.clone())
    }

    /// Caches the viewer of a session, which was read while `control_head` was the newest entry.
    pub fn insert_session(&self, session: Blake3Hash, viewer: Option<Arc<Agent>>, control_head: i64) {
        let mut cached = self.0.write();
        if cached.control_head != control_head {
            return;
        }
        if cached.by_session.len() >= MAX_CACHED_SESSIONS {
            cached.by_session.clear();
        }
        cached.by_session.insert(session, CachedSession { viewer, found_at: monotonic_now() });
    }

    /// Removes an ended session.
    pub fn remove_session(&self, session: &Blake3Hash) {
        self.0.write().by_session.remove(session);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent(no: i64, key: u8) -> Arc<Agent> {
        let (id, name) = ("agent_a".into(), "Ada".into());
        let rights = Rights::default();
        Arc::new(Agent { no, id, name, key_generation: 1, key_hash: [key; 32], rights, has_own_view: false })
    }

    #[test]
    fn removes_only_keys_of_given_agents() {
        let cache = KeyCache::new(0);
        cache.insert(agent(1, 1), 0);
        cache.insert(agent(2, 2), 0);
        cache.remove(&[1], 1);
        assert!(cache.find(&[1; 32]).is_none() && cache.find(&[2; 32]).is_some());
    }

    #[test]
    fn tokens_expire_and_go_with_the_keys_of_their_agent() {
        let cache = KeyCache::new(0);
        let second = |second| DateTime::from_timestamp(second, 0).unwrap();
        for (no, token) in [(1, 11), (1, 12), (2, 21)] {
            cache.insert_token([token; 32], agent(no, 1), [second(0), second(i64::from(token))], 0);
        }
        assert!(cache.find_token(&[12; 32], second(11)).is_some());
        assert!(cache.find_token(&[11; 32], second(11)).is_none(), "expired");
        assert!(cache.find(&[12; 32]).is_none(), "a token is no key");
        cache.remove(&[1], 1);
        assert!(cache.find_token(&[12; 32], second(0)).is_none());
        assert!(cache.find_token(&[21; 32], second(0)).is_some());
        cache.insert_token([13; 32], agent(1, 1), [second(0), second(99)], 0);
        assert!(cache.find_token(&[13; 32], second(0)).is_none(), "read before the newer entry");
    }

    #[test]
    fn new_key_replaces_old_key_of_same_agent() {
        let cache = KeyCache::new(0);
        cache.insert(agent(1, 1), 0);
        cache.insert(agent(1, 2), 0);
        assert!(cache.find(&[1; 32]).is_none() && cache.find(&[2; 32]).is_some());
        cache.remove(&[1], 1);
        assert!(cache.find(&[2; 32]).is_none());
    }

    #[test]
    fn a_shadow_ban_keeps_the_account_cached() {
        let cache = KeyCache::new(0);
        cache.insert(agent(1, 1), 0);
        cache.insert_session([9; 32], Some(agent(1, 1)), 0);
        cache.set_shadowed(&[(1, true)]);
        let by_session = cache.find_session(&[9; 32]).unwrap().unwrap();
        for agent in [cache.find(&[1; 32]).unwrap(), by_session] {
            assert!(agent.rights.shadowed && agent.has_own_view);
        }
        cache.set_shadowed(&[(1, false)]);
        let agent = cache.find(&[1; 32]).unwrap();
        assert!(!agent.rights.shadowed && agent.has_own_view, "it sees what it has done before");
    }

    #[test]
    fn changed_rights_end_cached_sessions() {
        let cache = KeyCache::new(0);
        cache.insert_session([8; 32], Some(agent(2, 2)), 0);
        cache.insert_session([9; 32], Some(agent(1, 1)), 0);
        cache.remove(&[1], 1);
        assert!(cache.find_session(&[9; 32]).is_none() && cache.find_session(&[8; 32]).is_some());
        cache.insert_session([9; 32], Some(agent(1, 1)), 0);
        assert!(cache.find_session(&[9; 32]).is_none(), "read before the newest entry");
    }

    #[test]
    fn does_not_cache_key_read_before_newer_control_entry() {
        let cache = KeyCache::new(0);
        cache.remove(&[1], 1);
        cache.insert(agent(1, 1), 0);
        assert!(cache.find(&[1; 32]).is_none());
    }
}
