//! Computes the largest numbers of connections and event streams from the process's limit of open files.

/// The descriptors that are reserved for the database, files, logging and requests to other services.
const RESERVED_DESCRIPTORS: usize = 96;
/// The descriptors that each worker thread needs in addition.
const RESERVED_DESCRIPTORS_PER_WORKER: usize = 8;
/// The largest number of connections per worker, which limits their memory.
const MAX_CONNECTIONS_PER_WORKER: usize = 25_600;
/// The share of connections (1 in this number) that is headroom for new ones while idle ones are being
/// closed.
const HEADROOM_SHARE: usize = 8;
const MAX_HEADROOM_CONNECTIONS: usize = 1_024;
/// The smallest number of connections per worker. A single worker has this number even if the limit of open
/// files is lower.
const MIN_CONNECTIONS_PER_WORKER: usize = 16;

/// The limits of a process. Streams are fewer than connections, and these are fewer than the accepted ones,
/// so that there is always room for ordinary requests and for new connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity {
    /// The number of worker threads, reduced if the limit of open files is too low.
    pub workers: usize,
    /// The connections that each worker accepts. Further ones wait in the listener's queue and need no
    /// descriptor.
    pub connections_per_worker: usize,
    /// The connections of the process, from which on idle ones are closed to make room for new ones.
    pub connections: usize,
    /// The open event streams of the process. Further ones are refused.
    pub streams: usize,
}

impl Capacity {
    /// Computes the limits from the limit of open files (`None` if there is none) and the desired number of
    /// workers.
    pub fn from_limits(descriptors: Option<u64>, workers: usize) -> Self {
        let descriptors =
            descriptors.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
        let available = descriptors.saturating_sub(RESERVED_DESCRIPTORS);
        let workers =
            workers.min(available / (RESERVED_DESCRIPTORS_PER_WORKER + MIN_CONNECTIONS_PER_WORKER)).max(1);
        let available = available.saturating_sub(RESERVED_DESCRIPTORS_PER_WORKER * workers);
        let per_worker = (available / workers).clamp(MIN_CONNECTIONS_PER_WORKER, MAX_CONNECTIONS_PER_WORKER);
        let accepted = per_worker * workers;
        let connections = accepted - (accepted / HEADROOM_SHARE).min(MAX_HEADROOM_CONNECTIONS);
        Self { workers, connections_per_worker: per_worker, connections, streams: connections / 4 * 3 }
    }

    /// Returns the number of connections that all workers accept together.
    pub const fn max_accepted(&self) -> usize {
        self.connections_per_worker * self.workers
    }
}

/// Returns the desired number of workers: one for each available processor.
pub fn available_workers() -> usize {
    std::thread::available_parallelism().map_or(2, std::num::NonZero::get)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_limits_give_known_bounds() {
        for (descriptors, requested, workers, per_worker, connections, streams) in [
            (Some(256), 2, 2, 72, 126, 93),
            (Some(1_024), 2, 2, 456, 798, 597),
            (Some(20_000), 2, 2, 9_944, 18_864, 14_148),
            (Some(1_048_576), 4, 4, 25_600, 101_376, 76_032),
            (None, 1, 1, 25_600, 24_576, 18_432),
            (None, 0, 1, 25_600, 24_576, 18_432),
            // Too few descriptors for so many workers.
            (Some(1_024), 64, 38, 16, 532, 399),
            (Some(0), 2, 1, 16, 14, 9),
        ] {
            let bounds = Capacity { workers, connections_per_worker: per_worker, connections, streams };
            assert_eq!(Capacity::from_limits(descriptors, requested), bounds, "{descriptors:?} {requested}");
        }
    }

    proptest! {
        #[test]
        fn bounds_decrease_in_order(descriptors in 256_u64..10_000_000, requested in 1_usize..257) {
            let capacity = Capacity::from_limits(Some(descriptors), requested);
            let Capacity { workers, connections, streams, .. } = capacity;
            let accepted = capacity.max_accepted();
            prop_assert!((1..=requested).contains(&workers));
            prop_assert!(streams < connections && connections < accepted);
            let descriptors_needed =
                accepted + RESERVED_DESCRIPTORS_PER_WORKER * workers + RESERVED_DESCRIPTORS;
            prop_assert!(descriptors_needed as u64 <= descriptors);
            prop_assert!(connections - streams >= connections / 4);
        }
    }
}
