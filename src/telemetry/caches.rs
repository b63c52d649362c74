//! How often caches could answer.

use prometheus::{IntCounter, IntCounterVec};

use super::register::Register;

/// The counters of all caches, by name.
pub struct Caches {
    hits: IntCounterVec,
    misses: IntCounterVec,
}

/// The counters of one cache; its clones count together.
#[derive(Clone)]
pub struct CacheMeter {
    pub hits: IntCounter,
    pub misses: IntCounter,
}

impl Caches {
    pub(super) fn new(register: &Register<'_>) -> Self {
        Self {
            hits: register.counters(
                "caraplace_cache_hits_total",
                "Values that were there already, by cache.",
                &["cache"],
            ),
            misses: register.counters(
                "caraplace_cache_misses_total",
                "Values that had to be made, by cache.",
                &["cache"],
            ),
        }
    }

    /// Returns the counters of a cache. Both are there from then on, so that rates see the first increase.
    pub fn meter(&self, cache: &str) -> CacheMeter {
        CacheMeter {
            hits: self.hits.with_label_values(&[cache]),
            misses: self.misses.with_label_values(&[cache]),
        }
    }
}
