//! The entries of a cache, without the types of its keys and values.

use std::any::Any;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use moka::future;
use moka::policy::EvictionPolicy;

use super::key::{AnyKey, Key};

/// The approximate size of an entry without its value, in bytes.
const ENTRY_BYTES: usize = 512;

/// A value with its size, or the error of its computation.
#[derive(Clone)]
pub struct Entry {
    result: Result<Arc<dyn Any + Send + Sync>, Arc<dyn Any + Send + Sync>>,
    value_bytes: usize,
}

impl Entry {
    /// Stores a value of this size without its type.
    pub fn of_value(value: impl Any + Send + Sync, value_bytes: usize) -> Self {
        Self { result: Ok(Arc::new(value)), value_bytes }
    }

    /// An error is stored only for the callers that waited for its computation: it never counts as current.
    pub fn of_error(error: impl Any + Send + Sync) -> Self {
        Self { result: Err(Arc::new(error)), value_bytes: 0 }
    }

    /// Returns true if this is a value, not an error.
    pub fn is_value(&self) -> bool {
        self.result.is_ok()
    }

    /// Returns the value, or `None` if this is an error.
    pub fn value<V: 'static>(&self) -> Option<&V> {
        Some(downcast(self.result.as_ref().ok()?))
    }

    /// Returns the value or the error.
    pub fn into_result<V: Clone + 'static, E: Clone + 'static>(self) -> Result<V, E> {
        match self.result {
            Ok(value) => Ok(downcast::<V>(&value).clone()),
            Err(error) => Err(downcast::<E>(&error).clone()),
        }
    }
}

/// Returns what a cache of this type stored.
///
/// # Panics
/// If it has another type, which the signatures of `Cache` exclude.
fn downcast<T: 'static>(stored: &Arc<dyn Any + Send + Sync>) -> &T {
    let Some(stored) = stored.downcast_ref() else { unreachable!("a cache stores values of one type") };
    stored
}

/// The entries by key. Clones share them.
#[derive(Clone)]
pub struct Entries(future::Cache<Key, Entry>);

impl Entries {
    /// Returns an empty store of at most `max_bytes`.
    pub fn new(max_bytes: u32, time_to_live: Option<Duration>) -> Self {
        let entry_bytes = move |_: &Key, entry: &Entry| {
            // An entry above the bound would never be admitted, but the newest entry must stay whatever its
            // size.
            u32::try_from(ENTRY_BYTES + entry.value_bytes).unwrap_or(max_bytes).min(max_bytes)
        };
        let builder = future::Cache::builder()
            .max_capacity(max_bytes.into())
            .weigher(entry_bytes)
            .eviction_policy(EvictionPolicy::lru());
        let builder = match time_to_live {
            Some(time_to_live) => builder.time_to_live(time_to_live),
            None => builder,
        };
        Self(builder.build())
    }

    /// Returns the entry of a key.
    pub fn peek(&self, key: &dyn AnyKey) -> Option<Entry> {
        // A look-up awaits only the maintenance of the cache by another task, which never holds its lock
        // across an await. Should that change, this is a miss.
        self.0.get(key).now_or_never().flatten()
    }

    /// Returns all entries, in any order.
    pub fn iter(&self) -> impl Iterator<Item = Entry> {
        self.0.iter().map(|(_, entry)| entry)
    }

    /// Adds or replaces the entry of a key.
    pub async fn insert(&self, key: Key, entry: Entry) {
        self.0.insert(key, entry).await;
    }

    /// Returns the current entry of a key. If there is none, one of the concurrent callers computes it. The
    /// flag is true if this caller did.
    pub async fn get_or_compute(
        &self,
        key: Key,
        is_current: &(dyn Fn(&Entry) -> bool + Send + Sync),
        mut compute: Pin<Box<dyn Future<Output = Entry> + Send + '_>>,
    ) -> (Entry, bool) {
        let previous = self.peek(key.as_any_key()).filter(Entry::is_value);
        loop {
            let is_stale = |entry: &Entry| !is_current(entry);
            let found = self.0.entry(key.clone()).or_insert_with_if(compute.as_mut(), is_stale).await;
            let is_own = found.is_fresh();
            let entry = found.into_value();
            // The computation that this call waited for began before the call, so it may not include what
            // the caller knows. The next one does.
            if !is_own && entry.is_value() && !is_current(&entry) {
                continue;
            }
            if let (true, false, Some(previous)) = (is_own, entry.is_value(), previous) {
                // The value from before a failure stays, for callers that accept an outdated one.
                self.0.insert(key, previous).await;
            }
            return (entry, is_own);
        }
    }

    /// Applies the bounds now.
    #[cfg(test)]
    pub async fn run_pending_tasks(&self) {
        self.0.run_pending_tasks().await;
    }
}
