//! Idempotency keys at the door: one at a time, and the first success again for those that come later.

use std::collections::HashSet;
use std::sync::Arc;

use actix_web::HttpRequest;
use bytes::Bytes;
use chrono::TimeDelta;
use parking_lot::Mutex;

use crate::app::App;
use crate::http::response::codes::Code;
use crate::http::response::problem::Problem;
use crate::log::deed::Repeatable;
use crate::log::effects::IdempotencyKey;
use crate::refusal::Refusal;

const HEADER: &str = "idempotency-key";
const LONGEST: usize = 255;

/// The keys whose first request is still running here.
#[derive(Clone, Default)]
pub struct InFlight(Arc<Mutex<HashSet<IdempotencyKey>>>);

/// Holds a key until the request is answered or given up.
pub struct Held {
    key: IdempotencyKey,
    keys: InFlight,
}

impl InFlight {
    /// Holds a key.
    ///
    /// # Errors
    /// `idempotency_in_flight`.
    pub fn hold(&self, key: IdempotencyKey) -> Result<Held, Problem> {
        if self.0.lock().insert(key.clone()) {
            return Ok(Held { key, keys: self.clone() });
        }
        let detail = "The first request with this Idempotency-Key has no answer yet.";
        Err(Problem::new(Code::IdempotencyInFlight, detail).retry_after(TimeDelta::seconds(1)))
    }
}

/// What is done once under a held key.
pub struct Once {
    held: Held,
    body_hash: [u8; 32],
    stored: Option<Bytes>,
}

impl Once {
    /// Holds a key for a body, and looks whether it was answered before.
    ///
    /// # Errors
    /// `idempotency_in_flight`, `idempotency_key_reused`, or that the database cannot be read.
    pub async fn hold(
        in_flight: &InFlight,
        app: &App,
        key: IdempotencyKey,
        body: &[u8],
    ) -> Result<Self, Problem> {
        let held = in_flight.hold(key)?;
        let body_hash = *blake3::hash(body).as_bytes();
        let stored = match app.state.log.stored_answer(&held.key).await? {
            Some(answer) if answer.body_hash != body_hash => {
                return Err(Refusal::IdempotencyKeyReused.into());
            }
            stored => stored.map(|answer| answer.json),
        };
        Ok(Self { held, body_hash, stored })
    }

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

/// The key that a request carries, if any.
///
/// # Errors
/// `invalid_field` when it cannot be a key.
pub fn key_of(
    request: &HttpRequest,
    agent: i64,
    route: &'static str,
) -> Result<Option<IdempotencyKey>, Problem> {
    let Some(value) = request.headers().get(HEADER) else { return Ok(None) };
    named("Idempotency-Key", value.to_str().unwrap_or_default(), agent, route).map(Some)
}

/// The key that stands in a field of this name.
///
/// # Errors
/// `invalid_field` when it cannot be a key.
pub fn named(field: &str, key: &str, agent: i64, route: &'static str) -> Result<IdempotencyKey, Problem> {
    let visible = |byte: u8| matches!(byte, b'\t' | b' '..=b'~');
    if (1..=LONGEST).contains(&key.len()) && key.bytes().all(visible) {
        return Ok(IdempotencyKey { agent, route, key: key.to_owned() });
    }
    let detail = format!("{field} has 1 to 255 visible ASCII characters.");
    Err(Problem::field(Code::InvalidField, field, detail))
}
