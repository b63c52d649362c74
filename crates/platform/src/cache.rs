//! The cache for all computed values. It is bounded in bytes, one task at a time computes each value, and
//! `/metrics` counts its hits.

mod entries;
mod key;

use std::hash::Hash;
use std::marker::PhantomData;
use std::time::Duration;

use self::entries::{Entries, Entry};
use self::key::Key;
use crate::refusal::Refusal;
use crate::telemetry::{CacheMeter, METRICS};

/// A cache of values by key. The least recently used entries are evicted first. Clones share their entries.
///
/// Keys and values are stored without their types, so that the library's code is compiled once, and not again
/// for each of two dozen caches.
pub struct Cache<K, V, E = Refusal> {
    entries: Entries,
    bytes_of: fn(&V) -> usize,
    meter: CacheMeter,
    types: PhantomData<fn(K) -> Result<V, E>>,
}

impl<K, V, E> Clone for Cache<K, V, E> {
    fn clone(&self) -> Self {
        Self {
            entries: self.entries.clone(),
            bytes_of: self.bytes_of,
            meter: self.meter.clone(),
            types: PhantomData,
        }
    }
}

impl<K, V, E> Cache<K, V, E>
where
    K: Eq + Hash + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
    E: Clone + Send + Sync + 'static,
{
    /// Returns an empty cache of at most `max_bytes`, as measured by `bytes_of`. `name` is the label of its
    /// metrics.
    ///
    /// The time to live is measured by the machine's monotonic clock, which tests cannot move. A value that
    /// depends on `clock::Clock` needs the time in its key or in `is_current`.
    pub fn new(
        name: &str,
        max_bytes: u32,
        time_to_live: Option<Duration>,
        bytes_of: fn(&V) -> usize,
    ) -> Self {
        let entries = Entries::new(max_bytes, time_to_live);
        Self { entries, bytes_of, meter: METRICS.caches.meter(name), types: PhantomData }
    }

    /// Returns the cached value of a key.
    pub fn get(&self, key: &K) -> Option<V> {
        self.get_if(key, |_| true)
    }

    /// Returns the cached value of a key, or `None` if there is none that is current.
    pub fn get_if(&self, key: &K, is_current: impl Fn(&V) -> bool) -> Option<V> {
        let value = self.peek(key).filter(is_current)?;
        self.meter.hits.inc();
        Some(value)
    }

    /// Returns the cached value of a key, even if it is not current, without counting a hit.
    pub fn peek(&self, key: &K) -> Option<V> {
        self.entries.peek(key)?.value().cloned()
    }

    /// Returns all cached values, in any order, without counting hits.
    pub fn values(&self) -> impl Iterator<Item = V> {
        self.entries.iter().filter_map(|entry| entry.value().cloned())
    }

    /// Caches a value that the caller has computed under its own limits, and counts a miss.
    pub async fn insert(&self, key: K, value: V) {
        self.meter.misses.inc();
        self.entries.insert(Key::new(key), self.entry_of_value(value)).await;
    }

    /// Returns the cached value of a key if it is current, otherwise the result of `compute`. Of all
    /// concurrent callers only one computes; if it is dropped, the next one takes over. A hit does not yield
    /// to other tasks.
    ///
    /// # Errors
    /// The error of `compute`, for all callers that waited for it. It is not cached.
    pub async fn get_or_compute(
        &self,
        key: K,
        is_current: impl Fn(&V) -> bool + Send + Sync,
        compute: impl Future<Output = Result<V, E>> + Send,
    ) -> Result<V, E> {
        if let Some(value) = self.get_if(&key, &is_current) {
            return Ok(value);
        }
        // Boxed to erase its type.
        let compute = Box::pin(async {
            self.meter.misses.inc();
            match compute.await {
                Ok(value) => self.entry_of_value(value),
                Err(error) => Entry::of_error(error),
            }
        });
        let is_current = |entry: &Entry| entry.value::<V>().is_some_and(&is_current);
        // Boxed, because it is large and hits need no room for it.
        let (entry, is_own) =
            Box::pin(self.entries.get_or_compute(Key::new(key), &is_current, compute)).await;
        self.meter.hits.inc_by(u64::from(!is_own && entry.is_value()));
        entry.into_result()
    }

    fn entry_of_value(&self, value: V) -> Entry {
        let bytes = (self.bytes_of)(&value);
        Entry::of_value(value, bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use futures_util::future::{join, join_all};
    use futures_util::poll;
    use tokio::task::yield_now;

    use super::*;

    fn cache(name: &str, max_bytes: u32) -> Cache<u8, u64, &'static str> {
        Cache::new(name, max_bytes, None, |bytes| usize::try_from(*bytes).unwrap())
    }

    #[tokio::test]
    async fn concurrent_callers_compute_once_and_failures_are_not_cached() {
        let cache = cache("crowd", 1 << 20);
        let computed = &AtomicU64::new(0);
        let request = |result| {
            cache.get_or_compute(1, |_| true, async move {
                computed.fetch_add(1, Ordering::SeqCst);
                yield_now().await;
                result
            })
        };
        let failed = join_all((0..9).map(|_| request(Err("no")))).await;
        assert_eq!((failed, computed.load(Ordering::SeqCst)), (vec![Err("no"); 9], 1));
        assert_eq!(cache.get(&1), None);
        let results = join_all((0..9).map(|_| request(Ok(3)))).await;
        assert_eq!((results, computed.load(Ordering::SeqCst)), (vec![Ok(3); 9], 2));
        assert_eq!((request(Ok(4)).await, cache.get(&1)), (Ok(3), Some(3)));
        assert_eq!((cache.meter.hits.get(), cache.meter.misses.get()), (10, 2));
    }

    #[tokio::test]
    async fn value_begun_before_the_call_is_computed_again_if_stale() {
        let cache = cache("early", 1 << 20);
        let at_least = |version| {
            cache.get_or_compute(1, move |value| *value >= version, async move {
                yield_now().await;
                Ok(version)
            })
        };
        assert_eq!(join(at_least(1), at_least(2)).await, (Ok(1), Ok(2)));
        assert_eq!((at_least(1).await, cache.get_if(&1, |value| *value > 2)), (Ok(2), None));
    }

    #[tokio::test]
    async fn waiter_computes_if_first_caller_is_dropped() {
        let cache = cache("away", 1 << 20);
        let mut first = Box::pin(cache.get_or_compute(1, |_| true, std::future::pending()));
        assert!(poll!(&mut first).is_pending());
        let second = cache.get_or_compute(1, |_| true, async { Ok(2) });
        assert_eq!(join(second, async move { drop(first) }).await.0, Ok(2));
    }

    #[tokio::test]
    async fn evicts_least_recently_used_and_keeps_newest_of_any_size() {
        let cache = cache("size", 4_096);
        for key in [1, 2] {
            cache.insert(key, 1_000).await;
            cache.entries.run_pending_tasks().await;
        }
        assert_eq!(cache.get(&1), Some(1_000));
        for (key, bytes, remaining) in [(3, 1_000, vec![1, 3]), (4, 1 << 40, vec![4])] {
            cache.insert(key, bytes).await;
            cache.entries.run_pending_tasks().await;
            let cached: Vec<u8> = (1..=4).filter(|key| cache.peek(key).is_some()).collect();
            assert_eq!((cached, cache.values().count()), (remaining.clone(), remaining.len()));
        }
    }
}
