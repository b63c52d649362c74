//! How often caches could answer.

use prometheus::{IntCounter, IntCounterVec};

use super::register::metrics;

metrics! {
    /// The counters of all caches, by name.
    CacheMetrics {
        hits: IntCounterVec = "caraplace_cache_hits_total" ["cache"]
            "Values that were there already, by cache.";
        misses: IntCounterVec = "caraplace_cache_misses_total" ["cache"]
            "Values that had to be made, by cache.";
    }
}

/// The counters of one cache; its clones count together.
#[derive(Clone)]
pub struct CacheMeter {
    pub hits: IntCounter,
    pub misses: IntCounter,
}

impl CacheMetrics {
    /// Returns the counters of a cache. Both are there from then on, so that rates see the first increase.
    pub fn meter(&self, cache: &str) -> CacheMeter {
        CacheMeter {
            hits: self.hits.with_label_values(&[cache]),
            misses: self.misses.with_label_values(&[cache]),
        }
    }
}
