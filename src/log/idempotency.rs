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

/// Holds a key until the request is answered or given up.
pub struct Held {
    pub(super) key: IdempotencyKey,
    keys: InFlight,
}

impl InFlight {
    /// Holds a key.
    ///
    /// # Errors
    /// `IdempotencyInFlight`.
    pub(super) fn hold(&self, key: IdempotencyKey) -> Result<Held, Refusal> {
        if self.0.lock().insert(key.clone()) {
            return Ok(Held { key, keys: self.clone() });
        }
        Err(Refusal::IdempotencyInFlight)
    }
}

/// What is done once under a held key.
pub struct Once {
    pub(super) held: Held,
    pub(super) body_hash: [u8; 32],
    pub(super) stored: Option<Bytes>,
}

impl Once {
    /// The first success under this key, if there was one.
    pub fn stored(&self) -> Option<Bytes> {
        self.stored.clone()
    }

    /// For the gate, which stores the answer with what it bought.
    pub fn repeatable(&self) -> Repeatable {
        Repeatable { key: self.held.key.clone(), body_hash: self.body_hash }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.keys.0.lock().remove(&self.key);
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
