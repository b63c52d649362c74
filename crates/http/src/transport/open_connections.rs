//! Tracks the open connections of a process, and closes the longest idle one if there are too many.
//!
//! A connection is idle while it waits for a request: before the first one, between two, or until head and
//! body have arrived in full.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use platform::telemetry::METRICS;
use tokio::sync::Notify;
use tokio::time::Instant;

/// The number of longest idle connections that a scan of all connections finds.
const VICTIMS_PER_SCAN: usize = 256;
/// A connection with a shorter idle time is closed only if there is almost no room left, because its request
/// may be on the way.
const MIN_IDLE: Duration = Duration::from_secs(1);

/// The state of a connection with a request in progress.
const BUSY: u64 = 0;
/// The state of a connection that was chosen to be closed.
const CHOSEN: u64 = 1;
/// The offset of the start of idle time, in microseconds, so that it differs from the other states.
const IDLE: u64 = 2;

/// The activity of a connection: busy, chosen, or idle since a time. Its worker writes it, all workers read
/// it.
pub struct Activity {
    /// The time from which idle states count.
    epoch: Instant,
    /// `BUSY`, `CHOSEN`, or `IDLE` plus the microseconds since the epoch.
    state: AtomicU64,
    chosen: Notify,
}

impl Activity {
    /// Returns the activity of a connection that is idle since `now`.
    pub fn idle(epoch: Instant, now: Instant) -> Self {
        let activity = Self { epoch, state: AtomicU64::new(BUSY), chosen: Notify::new() };
        activity.mark_idle(now);
        activity
    }

    /// Marks the connection as idle since `now`.
    pub fn mark_idle(&self, now: Instant) {
        self.state.store(idle_state(self.epoch, now), Ordering::Relaxed);
    }

    /// Marks the connection as busy: it has a request in progress or a response to write.
    pub fn mark_busy(&self) {
        self.state.store(BUSY, Ordering::Relaxed);
    }

    /// Returns the idle state: the smaller, the longer idle. `None` if the connection is busy or already
    /// chosen.
    pub fn idle_since(&self) -> Option<u64> {
        Some(self.state.load(Ordering::Relaxed)).filter(|state| *state >= IDLE)
    }

    /// Returns true if the connection is chosen to be closed, and nothing has arrived since.
    fn is_chosen(&self) -> bool {
        self.state.load(Ordering::Relaxed) == CHOSEN
    }

    /// Chooses the connection to be closed if its idle state is unchanged. Returns true on success.
    fn choose(&self, idle_since: u64) -> bool {
        let exchanged = self.state.compare_exchange(idle_since, CHOSEN, Ordering::Relaxed, Ordering::Relaxed);
        if exchanged.is_ok() {
            self.chosen.notify_one();
        }
        exchanged.is_ok()
    }
}

/// Returns the state of a connection that is idle since this time.
fn idle_state(epoch: Instant, since: Instant) -> u64 {
    let microseconds = since.saturating_duration_since(epoch).as_micros();
    u64::try_from(microseconds).unwrap_or(u64::MAX - IDLE).saturating_add(IDLE)
}

/// The table of a server's open connections.
pub struct OpenConnections {
    limits: ConnectionLimits,
    epoch: Instant,
    table: Mutex<ConnectionTable>,
}

/// The limits of open connections.
#[derive(Clone, Copy)]
struct ConnectionLimits {
    /// The number from which on connections that are idle for at least `MIN_IDLE` are closed.
    soft_limit: usize,
    /// The number from which on any idle connection is closed. It is less than the number that is accepted:
    /// at that number no new connection could trigger closing.
    hard_limit: usize,
    /// The number of scans to skip after one without result, because a scan reads all connections on a
    /// worker's event loop and under the lock. Small enough for at least one scan between `hard_limit` and
    /// the number that is accepted.
    skipped_scans: usize,
}

#[derive(Default)]
struct ConnectionTable {
    next_id: u64,
    open: HashMap<u64, Arc<Activity>>,
    /// The connections that were chosen but have not closed yet.
    closing: HashSet<u64>,
    /// The longest idle connections of the last scan, in order. Others became idle later, so the first one
    /// whose state is unchanged is the longest idle one of all.
    victims: VecDeque<Victim>,
    /// The number of scans to skip, because the last one found no connection to close.
    scans_to_skip: usize,
}

struct Victim {
    id: u64,
    idle_since: u64,
}

/// The entry of an open connection, which is removed when dropped.
pub struct OpenConnection {
    connections: Arc<OpenConnections>,
    id: u64,
    /// The activity, which the connection's worker updates.
    pub activity: Arc<Activity>,
}

impl OpenConnections {
    /// Returns a table that closes idle connections from the number `bound` on. `accepted` is the largest
    /// number of accepted connections.
    pub fn new(bound: usize, accepted: usize) -> Arc<Self> {
        let room = accepted.saturating_sub(bound);
        let hard_limit = bound + room / 2;
        let limits = ConnectionLimits { soft_limit: bound, hard_limit, skipped_scans: room / 4 };
        Arc::new(Self { limits, epoch: Instant::now(), table: Mutex::default() })
    }

    /// Adds a new connection, and closes the longest idle one if there are too many.
    pub fn register(self: &Arc<Self>, now: Instant) -> OpenConnection {
        let activity = Arc::new(Activity::idle(self.epoch, now));
        let mut table = self.table.lock();
        // Makes room before adding the new connection, which would be chosen itself if all others are busy.
        self.make_room(&mut table, 1, now);
        let id = table.next_id;
        table.next_id += 1;
        table.open.insert(id, activity.clone());
        METRICS.connections.open.inc();
        OpenConnection { connections: self.clone(), id, activity }
    }

    /// Chooses idle connections to be closed until there is room for `new_connections` more. Busy ones are
    /// never closed.
    fn make_room(&self, table: &mut ConnectionTable, new_connections: usize, now: Instant) {
        loop {
            let remaining = table.open.len() - table.closing.len() + new_connections;
            let latest = if remaining > self.limits.hard_limit {
                u64::MAX
            } else if remaining > self.limits.soft_limit {
                idle_state(self.epoch, now.checked_sub(MIN_IDLE).unwrap_or(self.epoch))
            } else {
                return;
            };
            if !table.choose_longest_idle(latest, self.limits.skipped_scans) {
                return;
            }
        }
    }
}

impl ConnectionTable {
    /// Chooses the longest idle connection to be closed, if it is idle since `latest` or earlier. Returns
    /// true if one was chosen. After a scan without result, the next `skipped_scans` are skipped.
    fn choose_longest_idle(&mut self, latest: u64, skipped_scans: usize) -> bool {
        if self.choose_victim(latest) {
            return true;
        }
        if !self.victims.is_empty() {
            return false;
        }
        if self.scans_to_skip > 0 {
            self.scans_to_skip -= 1;
            return false;
        }
        self.scan();
        let has_chosen = self.choose_victim(latest);
        if !has_chosen {
            self.scans_to_skip = skipped_scans;
        }
        has_chosen
    }

    fn choose_victim(&mut self, latest: u64) -> bool {
        while let Some(Victim { id, idle_since }) = self.victims.pop_front() {
            let Some(activity) = self.open.get(&id) else { continue };
            // A chosen connection that has served a request since counts as closing until its task notices.
            if activity.idle_since() != Some(idle_since) || self.closing.contains(&id) {
                continue;
            }
            if idle_since > latest {
                self.victims.push_front(Victim { id, idle_since });
                return false;
            }
            if activity.choose(idle_since) {
                self.closing.insert(id);
                return true;
            }
        }
        false
    }

    fn scan(&mut self) {
        let idle = self.open.iter().filter_map(|(id, activity)| Some((activity.idle_since()?, *id)));
        let mut idle: Vec<_> = idle.collect();
        if idle.len() > VICTIMS_PER_SCAN {
            idle.select_nth_unstable(VICTIMS_PER_SCAN);
            idle.truncate(VICTIMS_PER_SCAN);
        }
        idle.sort_unstable();
        self.victims = idle.into_iter().map(|(idle_since, id)| Victim { id, idle_since }).collect();
    }
}

impl OpenConnection {
    /// Completes when this connection must close to make room for another. If a request has arrived
    /// meanwhile, the connection stays open, and another one is chosen instead.
    pub async fn chosen_to_close(&self) {
        loop {
            self.activity.chosen.notified().await;
            if self.activity.is_chosen() {
                return;
            }
            let mut table = self.connections.table.lock();
            table.closing.remove(&self.id);
            self.connections.make_room(&mut table, 0, Instant::now());
        }
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        let mut table = self.connections.table.lock();
        table.open.remove(&self.id);
        table.closing.remove(&self.id);
        METRICS.connections.open.dec();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt as _;
    use std::time::Duration;

    fn after(connections: &OpenConnections, milliseconds: u64) -> Instant {
        connections.epoch + Duration::from_millis(milliseconds)
    }

    fn closes(connection: &OpenConnection) -> bool {
        connection.chosen_to_close().now_or_never().is_some()
    }

    /// Returns a full table of this bound without headroom, in which each connection is idle for a
    /// millisecond less than the one before it.
    fn full_table(bound: usize) -> (Arc<OpenConnections>, Vec<OpenConnection>) {
        let connections = OpenConnections::new(bound, bound);
        let open =
            (0..bound).map(|number| connections.register(after(&connections, number as u64))).collect();
        (connections, open)
    }

    #[test]
    fn longest_idle_connection_is_closed_for_each_new_one() {
        let (connections, open) = full_table(4);
        assert!(!open.iter().any(closes), "the number is within the bound");
        open[0].activity.mark_busy();
        open[1].activity.mark_busy();
        open[1].activity.mark_idle(after(&connections, 50));
        let new: Vec<_> = (60..63).map(|at| connections.register(after(&connections, at))).collect();
        assert_eq!(open.iter().map(closes).collect::<Vec<_>>(), [false, true, true, true]);
        assert!(!new.iter().any(closes));
    }

    #[test]
    fn busy_connections_stay_open_and_new_ones_are_accepted() {
        let (connections, open) = full_table(3);
        open.iter().for_each(|connection| connection.activity.mark_busy());
        let first = connections.register(after(&connections, 10));
        assert!(!closes(&first), "the new one is not closed, though no other is idle");
        open[1].activity.mark_idle(after(&connections, 20));
        let second = connections.register(after(&connections, 30));
        // Two are over the bound now, and two are idle in addition to the new one.
        assert!(closes(&first) && closes(&open[1]) && !closes(&second));
    }

    #[test]
    fn new_connections_are_kept_for_a_second_while_there_is_room() {
        let connections = OpenConnections::new(4, 12);
        let enter = |milliseconds| connections.register(after(&connections, milliseconds));
        let busy: Vec<_> = (0..4).map(|_| enter(0)).collect();
        busy.iter().for_each(|connection| connection.activity.mark_busy());
        let fresh: Vec<_> = (10..14).map(enter).collect();
        assert!(!fresh.iter().any(closes), "half of the headroom is for new connections");
        let _ninth = enter(20);
        assert_eq!(fresh.iter().map(closes).collect::<Vec<_>>(), [true, false, false, false]);
        let _later = enter(1_012);
        assert_eq!(fresh.iter().map(closes).collect::<Vec<_>>(), [false, true, true, false]);
    }

    #[test]
    fn connection_with_a_new_request_stays_and_another_is_closed() {
        let (connections, open) = full_table(3);
        let _new = connections.register(after(&connections, 10));
        open[0].activity.mark_busy();
        assert!(!closes(&open[0]));
        assert!(closes(&open[1]) && !closes(&open[2]));
    }

    #[test]
    fn unsuccessful_scan_is_not_repeated_for_each_new_connection() {
        let connections = OpenConnections::new(4, 12);
        let enter_busy = || {
            let connection = connections.register(after(&connections, 5_000));
            connection.activity.mark_busy();
            connection
        };
        let open: Vec<_> = (0..5).map(|_| enter_busy()).collect();
        open[0].activity.mark_idle(after(&connections, 0));
        let _two = [enter_busy(), enter_busy()];
        assert!(!closes(&open[0]), "the fifth scan found none, and the next two were skipped");
        let _next = enter_busy();
        assert!(closes(&open[0]));
    }

    #[test]
    fn chosen_connection_is_not_chosen_twice() {
        let (connections, open) = full_table(3);
        let _first = connections.register(after(&connections, 30));
        open[0].activity.mark_busy();
        open[0].activity.mark_idle(after(&connections, 20));
        open[1].activity.mark_busy();
        open[2].activity.mark_busy();
        let _second = connections.register(after(&connections, 40));
        let table = connections.table.lock();
        assert!(open[0].activity.idle_since().is_some(), "it was chosen twice");
        assert_eq!(table.closing.len(), 2, "the first new one was chosen instead");
        drop(table);
    }

    #[test]
    fn closed_connections_leave_room() {
        let (connections, mut open) = full_table(3);
        let _first = connections.register(after(&connections, 10));
        assert!(closes(&open[0]));
        open.remove(0);
        open.remove(0);
        let _second = connections.register(after(&connections, 20));
        assert!(!closes(&open[0]), "one of the three had closed");
        let table = connections.table.lock();
        assert_eq!((table.open.len(), table.closing.len()), (3, 0));
        drop(table);
    }

    #[test]
    fn connections_are_closed_in_idle_order_across_scans() {
        let (connections, open) = full_table(2 * VICTIMS_PER_SCAN);
        let count = VICTIMS_PER_SCAN + 10;
        let new: Vec<_> = (0..count).map(|_| connections.register(after(&connections, 10_000))).collect();
        let closed = open.iter().map(closes).collect::<Vec<_>>();
        assert!(closed[..count].iter().all(|closes| *closes) && !closed[count..].contains(&true));
        drop(new);
    }
}
