//! The agents whose keys this instance knows: what the control log says, in memory.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::RwLock;
use rules::rights::Rights;

use crate::tokens::Hash;

/// BLAKE3 of a key.
pub type KeyHash = Hash;

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
const MOST: usize = 200_000;

/// Agents by key, as of an entry of the control log.
pub struct Roster(RwLock<Known>);

struct Known {
    control: i64,
    by_key: HashMap<KeyHash, Arc<Agent>>,
    keys: HashMap<i64, KeyHash>,
}

impl Roster {
    /// Nobody is known yet, as of this entry of the control log.
    pub fn new(control: i64) -> Self {
        Self(RwLock::new(Known { control, by_key: HashMap::new(), keys: HashMap::new() }))
    }

    /// The newest entry of the control log that was read.
    pub fn control(&self) -> i64 {
        self.0.read().control
    }

    /// The agent that holds this key, if it is known here.
    pub fn find(&self, hash: &KeyHash) -> Option<Arc<Agent>> {
        self.0.read().by_key.get(hash).cloned()
    }

    /// Remembers an agent that was read while `control` was the newest entry. Should a newer one have come since,
    /// the key may have been changed by it, and is better looked up again.
    pub fn remember(&self, agent: Arc<Agent>, control: i64) {
        let mut known = self.0.write();
        if known.control != control {
            return;
        }
        if known.by_key.len() >= MOST {
            known.by_key.clear();
            known.keys.clear();
        }
        // A change of key may be met here before the control log has told of it.
        if let Some(old) = known.keys.insert(agent.no, agent.key_hash) {
            known.by_key.remove(&old);
        }
        known.by_key.insert(agent.key_hash, agent);
    }

    /// The agents with these numbers have other keys, as an entry of the control log says.
    pub fn forget(&self, agents: &[i64], control: i64) {
        let mut known = self.0.write();
        known.control = known.control.max(control);
        for no in agents {
            if let Some(key) = known.keys.remove(no) {
                known.by_key.remove(&key);
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
        let roster = Roster::new(0);
        roster.remember(agent(1, 1), 0);
        roster.remember(agent(2, 2), 0);
        roster.forget(&[1], 1);
        assert!(roster.find(&[1; 32]).is_none() && roster.find(&[2; 32]).is_some());
    }

    #[test]
    fn new_key_replaces_old_key_of_same_agent() {
        let roster = Roster::new(0);
        roster.remember(agent(1, 1), 0);
        roster.remember(agent(1, 2), 0);
        assert!(roster.find(&[1; 32]).is_none() && roster.find(&[2; 32]).is_some());
        roster.forget(&[1], 1);
        assert!(roster.find(&[2; 32]).is_none());
    }

    #[test]
    fn does_not_cache_key_read_before_newer_control_entry() {
        let roster = Roster::new(0);
        roster.forget(&[1], 1);
        roster.remember(agent(1, 1), 0);
        assert!(roster.find(&[1; 32]).is_none());
    }
}
