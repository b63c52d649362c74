//! The agents whose keys this instance knows: what the control log says, in memory.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::RwLock;
use rules::rights::Rights;

use crate::tokens::Blake3Hash;

/// BLAKE3 of a key.
pub type KeyHash = Blake3Hash;

/// Who an agent is; what it may do next is read under the gate.
#[derive(Debug)]
pub struct Agent {
    /// The database's own number.
    pub no: i64,
    /// `agent_…`.
    pub id: Arc<str>,
    pub name: Arc<str>,
    /// Rises with each new key; the gate refuses a write under an older one.
    pub key_generation: i32,
    pub key_hash: KeyHash,
    /// As they are told; the gate looks for itself.
    pub rights: Rights,
}

/// Beyond this many the roster starts anew, and fills again from the database.
const MAX_CACHED_KEYS: usize = 200_000;

/// Agents by key, as of an entry of the control log.
pub struct KeyCache(RwLock<CachedKeys>);

struct CachedKeys {
    control_head: i64,
    by_key: HashMap<KeyHash, Arc<Agent>>,
    key_by_agent: HashMap<i64, KeyHash>,
}

impl KeyCache {
    /// Nobody is known yet, as of this entry of the control log.
    pub fn new(control_head: i64) -> Self {
        Self(RwLock::new(CachedKeys { control_head, by_key: HashMap::new(), key_by_agent: HashMap::new() }))
    }

    /// The newest entry of the control log that was read.
    pub fn control_head(&self) -> i64 {
        self.0.read().control_head
    }

    /// The agent that holds this key, if it is known here.
    pub fn find(&self, hash: &KeyHash) -> Option<Arc<Agent>> {
        self.0.read().by_key.get(hash).cloned()
    }

    /// Remembers an agent that was read while `control` was the newest entry. Should a newer one have come since,
    /// the key may have been changed by it, and is better looked up again.
    pub fn insert(&self, agent: Arc<Agent>, control_head: i64) {
        let mut cached = self.0.write();
        if cached.control_head != control_head {
            return;
        }
        if cached.by_key.len() >= MAX_CACHED_KEYS {
            cached.by_key.clear();
            cached.key_by_agent.clear();
        }
        // A change of key may be met here before the control log has told of it.
        if let Some(old) = cached.key_by_agent.insert(agent.no, agent.key_hash) {
            cached.by_key.remove(&old);
        }
        cached.by_key.insert(agent.key_hash, agent);
    }

    /// The agents with these numbers have other keys, as an entry of the control log says.
    pub fn remove(&self, agents: &[i64], control_head: i64) {
        let mut cached = self.0.write();
        cached.control_head = cached.control_head.max(control_head);
        for no in agents {
            if let Some(key) = cached.key_by_agent.remove(no) {
                cached.by_key.remove(&key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent(no: i64, key: u8) -> Arc<Agent> {
        let (id, name) = ("agent_a".into(), "Ada".into());
        let rights = Rights::default();
        Arc::new(Agent { no, id, name, key_generation: 1, key_hash: [key; 32], rights })
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
    fn new_key_replaces_old_key_of_same_agent() {
        let cache = KeyCache::new(0);
        cache.insert(agent(1, 1), 0);
        cache.insert(agent(1, 2), 0);
        assert!(cache.find(&[1; 32]).is_none() && cache.find(&[2; 32]).is_some());
        cache.remove(&[1], 1);
        assert!(cache.find(&[2; 32]).is_none());
    }

    #[test]
    fn does_not_cache_key_read_before_newer_control_entry() {
        let cache = KeyCache::new(0);
        cache.remove(&[1], 1);
        cache.insert(agent(1, 1), 0);
        assert!(cache.find(&[1; 32]).is_none());
    }
}
