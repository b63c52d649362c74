//! The timeouts of a connection: for a request's head, for its body, and for reading the response.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use super::open_connections::Activity;

/// The time for the next request's head, from the end of the last response.
pub const HEAD_TIMEOUT: Duration = Duration::from_secs(10);
/// The time for a body to arrive.
pub const BODY_TIMEOUT: Duration = Duration::from_secs(10);
/// The time for an error response before the connection is closed after a timeout.
const GRACE_TIMEOUT: Duration = Duration::from_secs(1);
/// The time in which a client must read some of a pending response.
const STALL_TIMEOUT: Duration = Duration::from_secs(20);
/// The slowest rate at which a client must read a response, in bytes per second.
const MIN_BYTES_PER_SECOND: u32 = 1_024;

/// The state of a connection's timeouts.
pub struct ConnectionTimeouts {
    phase: Cell<ConnectionPhase>,
    /// True if no other request follows, or is read.
    is_last_request: Cell<bool>,
    /// True if nothing of the next head has been read yet.
    awaits_head_start: Cell<bool>,
    /// The deadline for the client to read some of the pending response; `None` if nothing is pending.
    stall_deadline: Cell<Option<Instant>>,
    /// The activity for all threads. The connection is idle while it waits for a head or a body, and no
    /// response is pending.
    activity: Arc<Activity>,
    /// True if the client has closed its side of the connection.
    is_peer_closed: Cell<bool>,
    /// Wakes the requests that end when the client is gone.
    peer_closed: Notify,
}

/// The phase of a connection, with its deadline.
#[derive(Clone, Copy, Debug)]
enum ConnectionPhase {
    /// Waiting for a request's head.
    Head(Instant),
    /// Waiting for the rest of a request's body.
    Body(Instant),
    /// Handling a request, without a deadline.
    Response,
}

impl ConnectionTimeouts {
    /// Returns the timeouts of a new connection.
    pub fn new(now: Instant, activity: Arc<Activity>) -> Self {
        let phase = Cell::new(ConnectionPhase::Head(now + HEAD_TIMEOUT + GRACE_TIMEOUT));
        Self {
            phase,
            is_last_request: Cell::new(false),
            awaits_head_start: Cell::new(true),
            stall_deadline: Cell::new(None),
            activity,
            is_peer_closed: Cell::new(false),
            peer_closed: Notify::new(),
        }
    }

    /// Handles the end of what the client sends. Most requests are handled nevertheless, because the client
    /// may still read.
    pub fn mark_peer_closed(&self) {
        self.is_peer_closed.set(true);
        self.peer_closed.notify_waiters();
    }

    /// Completes when the client has closed its side of the connection.
    pub async fn peer_closed(&self) {
        // Nothing can be missed in between: both functions run on the connection's thread.
        if !self.is_peer_closed.get() {
            self.peer_closed.notified().await;
        }
    }

    /// Handles the arrival of a head. `has_body` is true if a body follows, `is_last` if it is the last
    /// request.
    pub fn begin_request(&self, has_body: bool, is_last: bool, now: Instant) {
        self.is_last_request.set(is_last);
        if has_body {
            self.phase.set(ConnectionPhase::Body(now + BODY_TIMEOUT + GRACE_TIMEOUT));
            // Idle, so that a body that never arrives does not take the place of an active connection.
            self.mark_idle_unless_stalled(now);
        } else {
            self.phase.set(ConnectionPhase::Response);
            self.activity.mark_busy();
        }
    }

    /// Returns true if the client's last request has its response.
    pub fn is_ending(&self) -> bool {
        self.is_last_request.get() && matches!(self.phase.get(), ConnectionPhase::Head(_))
    }

    /// Handles the arrival of the whole body.
    pub fn body_received(&self) {
        if matches!(self.phase.get(), ConnectionPhase::Body(_)) {
            self.phase.set(ConnectionPhase::Response);
            self.activity.mark_busy();
        }
    }

    /// Handles the end of a request: its response is complete, but not necessarily written.
    pub fn end_response(&self, now: Instant) {
        self.awaits_head_start.set(true);
        self.wait_for_head(now);
    }

    /// Stops reading further requests.
    pub fn close_after_response(&self) {
        self.is_last_request.set(true);
    }

    fn wait_for_head(&self, now: Instant) {
        let wait = if self.is_last_request.get() { GRACE_TIMEOUT } else { HEAD_TIMEOUT + GRACE_TIMEOUT };
        self.phase.set(ConnectionPhase::Head(now + wait));
        self.mark_idle_unless_stalled(now);
    }

    /// Marks the connection as idle, unless a response is pending.
    fn mark_idle_unless_stalled(&self, now: Instant) {
        if self.stall_deadline.get().is_none() {
            self.activity.mark_idle(now);
        }
    }

    /// Returns true if the bytes that are read now belong to a request's head.
    pub fn expects_head(&self) -> bool {
        !self.is_last_request.get() && matches!(self.phase.get(), ConnectionPhase::Head(_))
    }

    /// Returns true if a head begins with the bytes that are read now; only once for each head.
    pub fn take_head_start(&self) -> bool {
        self.expects_head() && self.awaits_head_start.take()
    }

    /// Handles a blocked write: the client does not read.
    pub fn mark_stalled(&self, now: Instant) {
        self.activity.mark_busy();
        self.stall_deadline.set(self.stall_deadline.get().or(Some(now + STALL_TIMEOUT)));
    }

    /// Handles a partial write, which extends the deadline in proportion to its bytes.
    pub fn record_written(&self, bytes: usize, now: Instant) {
        if let Some(deadline) = self.stall_deadline.get() {
            let extension =
                Duration::from_secs(1) * u32::try_from(bytes).unwrap_or(u32::MAX) / MIN_BYTES_PER_SECOND;
            self.stall_deadline.set(Some((deadline + extension.min(STALL_TIMEOUT)).min(now + STALL_TIMEOUT)));
        }
    }

    /// Handles the end of writing: no response is pending.
    pub fn all_written(&self, now: Instant) {
        if self.stall_deadline.take().is_none() {
            return;
        }
        match self.phase.get() {
            ConnectionPhase::Head(_) => self.wait_for_head(now),
            ConnectionPhase::Body(_) => self.activity.mark_idle(now),
            ConnectionPhase::Response => {}
        }
    }

    /// Returns true if a deadline has passed.
    pub fn is_expired(&self, now: Instant) -> bool {
        let deadline = match (self.stall_deadline.get(), self.phase.get()) {
            (stalled, ConnectionPhase::Body(until)) => {
                Some(stalled.map_or(until, |stalled| stalled.min(until)))
            }
            // While the client still reads the last response, the timeout of the next head does not apply.
            (None, ConnectionPhase::Head(until)) => Some(until),
            (stalled, ConnectionPhase::Head(_) | ConnectionPhase::Response) => stalled,
        };
        deadline.is_some_and(|until| now >= until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new(now: Instant) -> ConnectionTimeouts {
        ConnectionTimeouts::new(now, Arc::new(Activity::idle(now, now)))
    }

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn head_timeout_restarts_after_each_response() {
        let start = Instant::now();
        let timeouts = new(start);
        assert!(!timeouts.is_expired(start + seconds(10)) && timeouts.is_expired(start + seconds(11)));
        timeouts.begin_request(false, false, start + seconds(9));
        assert!(!timeouts.is_expired(start + seconds(10_000)), "handling a request has no deadline");
        timeouts.end_response(start + seconds(100));
        assert!(!timeouts.is_expired(start + seconds(110)) && timeouts.is_expired(start + seconds(111)));
    }

    #[test]
    fn connection_ends_after_the_last_response() {
        let start = Instant::now();
        let timeouts = new(start);
        timeouts.begin_request(false, true, start);
        assert!(!timeouts.is_ending());
        timeouts.end_response(start);
        assert!(timeouts.is_ending() && timeouts.is_expired(start + seconds(1)));
    }

    #[test]
    fn body_timeout_is_not_extended_by_progress() {
        let start = Instant::now();
        let timeouts = new(start);
        timeouts.begin_request(true, false, start);
        assert!(timeouts.is_expired(start + seconds(11)));
        timeouts.body_received();
        assert!(!timeouts.is_expired(start + seconds(11)));
    }

    #[test]
    fn response_must_be_read_at_a_minimum_rate() {
        let start = Instant::now();
        let timeouts = new(start);
        timeouts.begin_request(false, false, start);
        timeouts.mark_stalled(start);
        for second in 1..20 {
            timeouts.record_written(1, start + seconds(second));
            timeouts.mark_stalled(start + seconds(second));
            assert!(!timeouts.is_expired(start + seconds(second)));
        }
        assert!(timeouts.is_expired(start + seconds(21)), "a byte per second is too slow");
        timeouts.record_written(10 * 1_024, start + seconds(21));
        assert!(!timeouts.is_expired(start + seconds(29)) && timeouts.is_expired(start + seconds(31)));
        timeouts.record_written(usize::MAX, start + seconds(31));
        assert!(!timeouts.is_expired(start + seconds(50)) && timeouts.is_expired(start + seconds(51)));
        timeouts.all_written(start + seconds(51));
        assert!(!timeouts.is_expired(start + seconds(1_000)));
    }

    #[test]
    fn head_timeout_waits_until_the_response_is_written() {
        let start = Instant::now();
        let timeouts = new(start);
        timeouts.begin_request(false, false, start);
        timeouts.mark_stalled(start);
        timeouts.end_response(start);
        timeouts.record_written(1 << 20, start + seconds(15));
        assert!(!timeouts.is_expired(start + seconds(30)));
        timeouts.all_written(start + seconds(30));
        assert!(!timeouts.is_expired(start + seconds(40)) && timeouts.is_expired(start + seconds(41)));
    }

    #[test]
    fn connection_is_idle_only_without_work_or_pending_writes() {
        let start = Instant::now();
        let timeouts = new(start);
        let is_idle = || timeouts.activity.idle_since().is_some();
        assert!(is_idle(), "before the first request");
        timeouts.begin_request(true, false, start);
        assert!(is_idle(), "waiting for a body is idle");
        timeouts.body_received();
        assert!(!is_idle());
        timeouts.end_response(start);
        assert!(is_idle(), "between two requests");
        timeouts.begin_request(false, false, start);
        timeouts.mark_stalled(start);
        timeouts.end_response(start);
        assert!(!is_idle(), "the response is still being written");
        timeouts.all_written(start + seconds(1));
        assert!(is_idle());
        timeouts.mark_stalled(start);
        timeouts.begin_request(true, false, start);
        assert!(!is_idle(), "the previous response is still being written");
        timeouts.all_written(start + seconds(1));
        assert!(is_idle());
    }
}
