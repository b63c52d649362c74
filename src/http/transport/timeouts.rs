//! How long a client may keep a connection waiting: for a head, for a body, for taking its answer.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::open_connections::Activity;

/// How long the next request's head may take, from the last answer on.
pub const HEAD_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a body may take to arrive.
pub const BODY_TIMEOUT: Duration = Duration::from_secs(10);
/// Where there is still something to say about it, it is said before the connection is cut.
const GRACE_TIMEOUT: Duration = Duration::from_secs(1);
/// How long a client may take nothing of an answer that waits.
const STALL_TIMEOUT: Duration = Duration::from_secs(20);
/// Who takes less in a second, over a while, is not reading.
const MIN_BYTES_PER_SECOND: u32 = 1_024;

/// One connection's state, as far as its client can hold it up.
pub struct ConnectionTimeouts {
    phase: Cell<ConnectionPhase>,
    /// Whether no other request is to come, or to be read.
    is_last_request: Cell<bool>,
    /// Whether nothing of the next head has been read yet.
    awaits_head_start: Cell<bool>,
    /// Until when something of what waits to be written must have been taken.
    stall_deadline: Cell<Option<Instant>>,
    /// Tells all threads whether this connection is idle: it waits for a head or a body, and no answer waits to be written.
    activity: Arc<Activity>,
}

/// Whose turn it is, and until when.
#[derive(Clone, Copy, Debug)]
enum ConnectionPhase {
    /// The client's: it may send a request.
    Head(Instant),
    /// The client's: its body has not arrived in full.
    Body(Instant),
    /// The server's.
    Response,
}

impl ConnectionTimeouts {
    /// For a connection that was just made.
    pub fn new(now: Instant, activity: Arc<Activity>) -> Self {
        let phase = Cell::new(ConnectionPhase::Head(now + HEAD_TIMEOUT + GRACE_TIMEOUT));
        Self {
            phase,
            is_last_request: Cell::new(false),
            awaits_head_start: Cell::new(true),
            stall_deadline: Cell::new(None),
            activity,
        }
    }

    /// A head has arrived, maybe with a body on its way, and maybe the last one.
    pub fn begin_request(&self, has_body: bool, is_last: bool, now: Instant) {
        self.is_last_request.set(is_last);
        if has_body {
            self.phase.set(ConnectionPhase::Body(now + BODY_TIMEOUT + GRACE_TIMEOUT));
            // A body that never comes must not keep the place of a connection that has something to do.
            self.mark_idle_unless_stalled(now);
        } else {
            self.phase.set(ConnectionPhase::Response);
            self.activity.mark_busy();
        }
    }

    /// Whether the last request that this client meant to send is answered.
    pub fn is_ending(&self) -> bool {
        self.is_last_request.get() && matches!(self.phase.get(), ConnectionPhase::Head(_))
    }

    /// The body has arrived.
    pub fn body_received(&self) {
        if matches!(self.phase.get(), ConnectionPhase::Body(_)) {
            self.phase.set(ConnectionPhase::Response);
            self.activity.mark_busy();
        }
    }

    /// The request is answered, as far as the server is concerned.
    pub fn end_response(&self, now: Instant) {
        self.awaits_head_start.set(true);
        self.wait_for_head(now);
    }

    /// No other request is read on this connection.
    pub fn close_after_response(&self) {
        self.is_last_request.set(true);
    }

    fn wait_for_head(&self, now: Instant) {
        let wait = if self.is_last_request.get() { GRACE_TIMEOUT } else { HEAD_TIMEOUT + GRACE_TIMEOUT };
        self.phase.set(ConnectionPhase::Head(now + wait));
        self.mark_idle_unless_stalled(now);
    }

    /// Marks the connection idle, unless an answer still waits to be written.
    fn mark_idle_unless_stalled(&self, now: Instant) {
        if self.stall_deadline.get().is_none() {
            self.activity.mark_idle(now);
        }
    }

    /// Whether what is read now belongs to a request's head.
    pub fn expects_head(&self) -> bool {
        !self.is_last_request.get() && matches!(self.phase.get(), ConnectionPhase::Head(_))
    }

    /// Whether a head begins with what is read now; says so once for each.
    pub fn take_head_start(&self) -> bool {
        self.expects_head() && self.awaits_head_start.take()
    }

    /// The client takes nothing more for now.
    pub fn mark_stalled(&self, now: Instant) {
        self.activity.mark_busy();
        self.stall_deadline.set(self.stall_deadline.get().or(Some(now + STALL_TIMEOUT)));
    }

    /// The client has taken some of what waited.
    pub fn record_written(&self, bytes: usize, now: Instant) {
        if let Some(deadline) = self.stall_deadline.get() {
            let extension =
                Duration::from_secs(1) * u32::try_from(bytes).unwrap_or(u32::MAX) / MIN_BYTES_PER_SECOND;
            self.stall_deadline.set(Some((deadline + extension.min(STALL_TIMEOUT)).min(now + STALL_TIMEOUT)));
        }
    }

    /// Nothing waits to be written any more.
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

    /// Whether the client has taken too long.
    pub fn is_expired(&self, now: Instant) -> bool {
        let deadline = match (self.stall_deadline.get(), self.phase.get()) {
            (stalled, ConnectionPhase::Body(until)) => {
                Some(stalled.map_or(until, |stalled| stalled.min(until)))
            }
            // Who is still taking the last answer need not send the next head.
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
        assert!(!timeouts.is_expired(start + seconds(10_000)), "the server may take its time");
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
        assert!(timeouts.is_expired(start + seconds(21)), "a byte a second is not reading");
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
        assert!(is_idle(), "a body that has not come is no work");
        timeouts.body_received();
        assert!(!is_idle());
        timeouts.end_response(start);
        assert!(is_idle(), "between two requests");
        timeouts.begin_request(false, false, start);
        timeouts.mark_stalled(start);
        timeouts.end_response(start);
        assert!(!is_idle(), "the answer is still being written");
        timeouts.all_written(start + seconds(1));
        assert!(is_idle());
        timeouts.mark_stalled(start);
        timeouts.begin_request(true, false, start);
        assert!(!is_idle(), "the answer before the body is still being written");
        timeouts.all_written(start + seconds(1));
        assert!(is_idle());
    }
}
