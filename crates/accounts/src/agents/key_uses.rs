//! The uses of extra keys: collected in memory, and stored together.

use std::collections::HashMap;

use caraplace_log::state::AppState;
use chrono::{DateTime, SubsecRound as _, TimeDelta, Utc};
use parking_lot::Mutex;

use super::store;

/// The shortest time between the stored use of a key and the next time it is stored, on all instances
/// together.
const MIN_UPDATE_INTERVAL: TimeDelta = TimeDelta::minutes(1);

/// The time of the last use of each key that is not stored yet, by the keys' numbers.
#[derive(Default)]
pub struct KeyUses(Mutex<HashMap<i64, DateTime<Utc>>>);

impl KeyUses {
    /// Records that a key is used now.
    pub fn record(&self, key: i64, now: DateTime<Utc>) {
        // With the precision of the database, so that the time stays the same when it is stored.
        self.0.lock().insert(key, now.trunc_subsecs(6));
    }

    /// Returns the time of the last use of a key on this instance that is not stored yet.
    pub fn last_use(&self, key: i64) -> Option<DateTime<Utc>> {
        self.0.lock().get(&key).copied()
    }

    /// Stores the uses of all keys, except of those whose stored use is less than a minute ago: they wait for
    /// the next call. A later use that another instance has stored stays.
    ///
    /// # Errors
    /// Returns the error of the database; the uses then wait for the next call, too.
    pub async fn store(&self, state: &AppState) -> Result<(), sqlx::Error> {
        let uses: Vec<(i64, DateTime<Utc>)> = self.0.lock().iter().map(|(key, at)| (*key, *at)).collect();
        if uses.is_empty() {
            return Ok(());
        }
        let stored_before = state.clock.now() - MIN_UPDATE_INTERVAL;
        let early = store::extra_keys::store_uses(&state.pool, &uses, stored_before).await?;
        let mut waiting = self.0.lock();
        for (key, at) in uses {
            // A use that was recorded meanwhile is not stored yet.
            if waiting.get(&key) == Some(&at) && !early.contains(&key) {
                waiting.remove(&key);
            }
        }
        Ok(())
    }
}
