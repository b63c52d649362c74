//! Idempotency keys: one at a time, and the first success again for those that come later.

use std::collections::HashSet;
use std::sync::Arc;

use bytes::Bytes;
use parking_lot::Mutex;

use super::batch_effects::IdempotencyKey;
use super::command::RequestIdentity;
use crate::refusal::Refusal;

const MAX_KEY_BYTES: usize = 255;

/// The keys whose first request is still running here.
#[derive(Clone, Default)]
pub struct InFlightKeys(Arc<Mutex<HashSet<IdempotencyKey>>>);

impl InFlightKeys {
    /// Holds a key for a body with this hash.
    ///
    /// # Errors
    /// `IdempotencyInFlight`.
    pub(super) fn claim(
        &self,
        key: IdempotencyKey,
        body_hash: [u8; 32],
    ) -> Result<IdempotentRequest, Refusal> {
        if self.0.lock().insert(key.clone()) {
            let identity = RequestIdentity { key, body_hash };
            return Ok(IdempotentRequest { identity, stored_answer: None, keys: self.clone() });
        }
        Err(Refusal::IdempotencyInFlight)
    }
}

/// A request that is done once. Holds its key until it is answered or given up.
pub struct IdempotentRequest {
    /// For the gate, which stores the answer with what it bought.
    pub identity: RequestIdentity,
    /// The first success under this key, if there was one.
    pub stored_answer: Option<Bytes>,
    keys: InFlightKeys,
}

impl Drop for IdempotentRequest {
    fn drop(&mut self) {
        self.keys.0.lock().remove(&self.identity.key);
    }
}

impl IdempotencyKey {
    /// Parses the key that a field holds.
    ///
    /// # Errors
    /// `Input` if it cannot be a key.
    pub fn parse(field: &'static str, key: &str, agent: i64, route: &'static str) -> Result<Self, Refusal> {
        let is_visible = |byte: u8| matches!(byte, b'\t' | b' '..=b'~');
        if (1..=MAX_KEY_BYTES).contains(&key.len()) && key.bytes().all(is_visible) {
            return Ok(Self { agent, route, key: key.to_owned() });
        }
        Err(Refusal::invalid(field, format!("{field} has 1 to {MAX_KEY_BYTES} visible ASCII characters.")))
    }
}
