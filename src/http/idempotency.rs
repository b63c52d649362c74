//! Idempotency keys at the door: one at a time, and the first success again for those that come later.

use std::collections::HashSet;
use std::sync::Arc;

use actix_web::HttpRequest;
use chrono::TimeDelta;
use parking_lot::Mutex;

use super::codes::Code;
use super::problem::Problem;
use crate::log::ground::IdempotencyKey;

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

impl Held {
    /// The key that is held.
    pub fn key(&self) -> &IdempotencyKey {
        &self.key
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
    let key = value.to_str().ok().filter(|key| (1..=LONGEST).contains(&key.len()));
    let key = key.ok_or_else(|| {
        let detail = "An Idempotency-Key has 1 to 255 visible ASCII characters.";
        Problem::field(Code::InvalidField, "Idempotency-Key", detail)
    })?;
    Ok(Some(IdempotencyKey { agent, route, key: key.to_owned() }))
}
