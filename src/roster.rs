//! The agents whose keys this instance knows: what the control log says, in memory.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::RwLock;

/// BLAKE3 of a key.
pub type KeyHash = [u8; 32];

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
}

/// Beyond this many the roster starts anew, and fills again from the database.
const MOST: usize = 200_000;

/// Agents by key.
#[derive(Default)]
pub struct Roster {
    agents: RwLock<HashMap<KeyHash, Arc<Agent>>>,
}

impl Roster {
    /// The agent that holds this key, if it is known here.
    pub fn find(&self, hash: &KeyHash) -> Option<Arc<Agent>> {
        self.agents.read().get(hash).cloned()
    }

    /// Remembers an agent that was just read.
    pub fn remember(&self, agent: Arc<Agent>) {
        let mut agents = self.agents.write();
        if agents.len() >= MOST {
            agents.clear();
        }
        agents.insert(agent.key_hash, agent);
    }

    /// The agent with this number has another key now.
    pub fn forget(&self, no: i64) {
        self.agents.write().retain(|_, agent| agent.no != no);
    }
}
