//! How many connections and event streams a process holds, computed from its limit of open files.

/// Descriptors that are not for clients: the database's connections, files, the log, calls to other services.
const RESERVED_DESCRIPTORS: usize = 96;
/// Descriptors that each worker thread needs besides.
const RESERVED_DESCRIPTORS_PER_WORKER: usize = 8;
/// The most connections of one worker, whatever the limit of open files: each costs memory, too.
const MAX_CONNECTIONS_PER_WORKER: usize = 25_600;
/// The share of connections (1 in so many) that may be accepted while idle ones are being closed to make room.
const HEADROOM_SHARE: usize = 8;
const MAX_HEADROOM_CONNECTIONS: usize = 1_024;
/// The least that a worker is worth having for. One worker has as many even if the limit of open files is lower.
const MIN_CONNECTIONS_PER_WORKER: usize = 16;

/// The bounds of one process. Each is below the one before it, so that a client of the next kind always finds room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity {
    /// Threads that answer requests: fewer than were asked for if the limit of open files is too low for all.
    pub workers: usize,
    /// Connections that each worker takes. Further ones wait in the listener's queue, and cost no descriptor.
    pub connections_per_worker: usize,
    /// Connections of the process. Idle ones are closed to make room for further ones.
    pub connections: usize,
    /// Open event streams of the process. Further ones are refused.
    pub streams: usize,
}

impl Capacity {
    /// Computes the bounds from the limit of open files, `None` if there is no limit, and the number of worker threads asked
    /// for.
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

    /// Returns how many connections all workers take together.
    pub const fn max_accepted(&self) -> usize {
        self.connections_per_worker * self.workers
    }
}

/// Returns how many threads are to answer requests: one for each processor that the process may use.
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
            let descriptors_needed = accepted + RESERVED_DESCRIPTORS_PER_WORKER * workers + RESERVED_DESCRIPTORS;
            prop_assert!(descriptors_needed as u64 <= descriptors);
            prop_assert!(connections - streams >= connections / 4);
        }
    }
}
