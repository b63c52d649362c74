//! Permits that are limited for each key, such as a host, an account or an address.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::Semaphore;

/// The number of keys from which those without permits in use are forgotten.
const MAX_IDLE_KEYS: usize = 256;

/// The permits of all keys.
pub struct KeyedPermits<K>(Mutex<HashMap<K, Arc<Semaphore>>>);

impl<K: Eq + Hash> Default for KeyedPermits<K> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Eq + Hash> KeyedPermits<K> {
    /// Returns the permits of a key, which has `max` of them.
    pub fn of(&self, key: K, max: usize) -> Arc<Semaphore> {
        let mut by_key = self.0.lock();
        if by_key.len() >= MAX_IDLE_KEYS {
            by_key.retain(|_, permits| Arc::strong_count(permits) > 1);
        }
        by_key.entry(key).or_insert_with(|| Arc::new(Semaphore::new(max))).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_without_permits_in_use_are_forgotten() {
        let permits = KeyedPermits::default();
        let _permit = permits.of("busy".to_owned(), 1).try_acquire_owned().unwrap();
        for key in 0..2 * MAX_IDLE_KEYS {
            permits.of(key.to_string(), 1);
        }
        let by_key = permits.0.lock();
        assert!(by_key.len() <= MAX_IDLE_KEYS && by_key.contains_key("busy"));
    }
}
