//! Idempotency keys: one at a time, and the first success again for those that come later.

use std::collections::HashSet;
use std::sync::Arc;

use bytes::Bytes;
use parking_lot::Mutex;

use super::deed::Repeatable;
use super::effects::IdempotencyKey;
use crate::refusal::Refusal;

const LONGEST: usize = 255;

/// The keys whose first request is still running here.
#[derive(Clone, Default)]
pub struct InFlight(Arc<Mutex<HashSet<IdempotencyKey>>>);

impl InFlight {
    /// Holds a key for a body with this hash.
    ///
    /// # Errors
    /// `IdempotencyInFlight`.
    pub(super) fn hold(&self, key: IdempotencyKey, body_hash: [u8; 32]) -> Result<Once, Refusal> {
        if self.0.lock().insert(key.clone()) {
            let repeatable = Repeatable { key, body_hash };
            return Ok(Once { repeatable, stored: None, keys: self.clone() });
        }
        Err(Refusal::IdempotencyInFlight)
    }
}

/// A request that is done once. Holds its key until it is answered or given up.
pub struct Once {
    /// For the gate, which stores the answer with what it bought.
    pub repeatable: Repeatable,
    /// The first success under this key, if there was one.
    pub stored: Option<Bytes>,
    keys: InFlight,
}

impl Drop for Once {
    fn drop(&mut self) {
        self.keys.0.lock().remove(&self.repeatable.key);
    }
}

impl IdempotencyKey {
    /// Parses the key that a field holds.
    ///
    /// # Errors
    /// `Input` if it cannot be a key.
    pub fn parse(field: &'static str, key: &str, agent: i64, route: &'static str) -> Result<Self, Refusal> {
        let visible = |byte: u8| matches!(byte, b'\t' | b' '..=b'~');
        if (1..=LONGEST).contains(&key.len()) && key.bytes().all(visible) {
            return Ok(Self { agent, route, key: key.to_owned() });
        }
        Err(Refusal::invalid(field, format!("{field} has 1 to {LONGEST} visible ASCII characters.")))
    }
}
