//! Metrics of caches: hits and misses.

use prometheus::{IntCounter, IntCounterVec};

use super::register::metrics;

metrics! {
    /// The counters of all caches, by name.
    CacheMetrics {
        hits: IntCounterVec = "caraplace_cache_hits_total" ["cache"]
            "Look-ups answered from the cache, by cache.";
        misses: IntCounterVec = "caraplace_cache_misses_total" ["cache"]
            "Look-ups that had to compute the value, by cache.";
    }
}

/// The counters of one cache; its clones count together.
#[derive(Clone)]
pub struct CacheMeter {
    pub hits: IntCounter,
    pub misses: IntCounter,
}

impl CacheMetrics {
    /// Returns the counters of a cache. Both series exist from then on, so that rates include the first
    /// increase.
    pub fn meter(&self, cache: &str) -> CacheMeter {
        CacheMeter {
            hits: self.hits.with_label_values(&[cache]),
            misses: self.misses.with_label_values(&[cache]),
        }
    }
}
