//! Idempotency keys: one request at a time per key, and the first success response for later ones.

use std::collections::HashSet;
use std::sync::Arc;

use bytes::Bytes;
use parking_lot::Mutex;
use platform::refusal::Refusal;
use rules::numbers::AccountNo;

use super::batch_effects::IdempotencyKey;
use super::command::RepeatableRequest;

/// The maximum length of a key in bytes.
const MAX_KEY_BYTES: usize = 255;

/// The keys whose first request is still running on this instance.
#[derive(Clone, Default)]
pub(crate) struct InFlightKeys(Arc<Mutex<HashSet<IdempotencyKey>>>);

impl InFlightKeys {
    /// Claims a key for a body with this hash.
    ///
    /// # Errors
    /// `IdempotencyInFlight`.
    pub(super) fn claim(
        &self,
        key: IdempotencyKey,
        body_hash: [u8; 32],
    ) -> Result<IdempotentRequest, Refusal> {
        if self.0.lock().insert(key.clone()) {
            let repeatable = RepeatableRequest { key, body_hash };
            return Ok(IdempotentRequest { repeatable, stored_response: None, keys: self.clone() });
        }
        Err(Refusal::IdempotencyInFlight)
    }
}

/// A request that is executed at most once. It claims its key until it is dropped.
pub struct IdempotentRequest {
    /// For the writer, which stores the response together with the effects.
    pub repeatable: RepeatableRequest,
    /// The first success response under this key, if there is one.
    pub stored_response: Option<Bytes>,
    keys: InFlightKeys,
}

impl Drop for IdempotentRequest {
    fn drop(&mut self) {
        self.keys.0.lock().remove(&self.repeatable.key);
    }
}

impl IdempotencyKey {
    /// Parses the value of a field as an idempotency key.
    ///
    /// # Errors
    /// `Input` if it is not a valid key.
    pub fn parse(
        field: &'static str,
        key: &str,
        agent: AccountNo,
        route: &'static str,
    ) -> Result<Self, Refusal> {
        let is_visible = |byte: u8| matches!(byte, b'\t' | b' '..=b'~');
        if (1..=MAX_KEY_BYTES).contains(&key.len()) && key.bytes().all(is_visible) {
            return Ok(Self { agent, route, key: key.to_owned() });
        }
        Err(Refusal::invalid(
            field,
            format!("{field} must have 1 to {MAX_KEY_BYTES} visible ASCII characters."),
        ))
    }
}
