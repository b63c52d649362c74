//! How long a client may keep a connection waiting: for a head, for a body, for taking its answer.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::open_connections::Activity;

/// How long the next request's head may take, from the last answer on.
pub const HEAD: Duration = Duration::from_secs(10);
/// How long a body may take to arrive.
pub const BODY: Duration = Duration::from_secs(10);
/// Where there is still something to say about it, it is said before the connection is cut.
const GRACE: Duration = Duration::from_secs(1);
/// How long a client may take nothing of an answer that waits.
const STALL: Duration = Duration::from_secs(20);
/// Who takes less in a second, over a while, is not reading.
const SLOWEST: u32 = 1_024;

/// One connection's state, as far as its client can hold it up.
pub struct Patience {
    turn: Cell<Turn>,
    /// Whether no other request is to come, or to be read.
    last: Cell<bool>,
    /// Whether nothing of the next head has been read yet.
    another: Cell<bool>,
    /// Until when something of what waits to be written must have been taken.
    stalled: Cell<Option<Instant>>,
    /// Tells all threads whether this connection is idle: it waits for a head or a body, and no answer waits to be written.
    activity: Arc<Activity>,
}

/// Whose turn it is, and until when.
#[derive(Clone, Copy, Debug)]
enum Turn {
    /// The client's: it may send a request.
    Head(Instant),
    /// The client's: its body has not arrived in full.
    Body(Instant),
    /// The server's.
    Answer,
}

impl Patience {
    /// For a connection that was just made.
    pub fn new(now: Instant, activity: Arc<Activity>) -> Self {
        let turn = Cell::new(Turn::Head(now + HEAD + GRACE));
        Self { turn, last: Cell::new(false), another: Cell::new(true), stalled: Cell::new(None), activity }
    }

    /// A head has arrived, maybe with a body on its way, and maybe the last one.
    pub fn begin(&self, body: bool, last: bool, now: Instant) {
        self.last.set(last);
        if body {
            self.turn.set(Turn::Body(now + BODY + GRACE));
            // A body that never comes must not keep the place of a connection that has something to do.
            self.mark_idle_unless_stalled(now);
        } else {
            self.turn.set(Turn::Answer);
            self.activity.mark_busy();
        }
    }

    /// Whether the last request that this client meant to send is answered.
    pub fn has_ended(&self) -> bool {
        self.last.get() && matches!(self.turn.get(), Turn::Head(_))
    }

    /// The body has arrived.
    pub fn arrived(&self) {
        if matches!(self.turn.get(), Turn::Body(_)) {
            self.turn.set(Turn::Answer);
            self.activity.mark_busy();
        }
    }

    /// The request is answered, as far as the server is concerned.
    pub fn end(&self, now: Instant) {
        self.another.set(true);
        self.wait_for_a_head(now);
    }

    /// No other request is read on this connection.
    pub fn leave(&self) {
        self.last.set(true);
    }

    fn wait_for_a_head(&self, now: Instant) {
        let wait = if self.last.get() { GRACE } else { HEAD + GRACE };
        self.turn.set(Turn::Head(now + wait));
        self.mark_idle_unless_stalled(now);
    }

    /// Marks the connection idle, unless an answer still waits to be written.
    fn mark_idle_unless_stalled(&self, now: Instant) {
        if self.stalled.get().is_none() {
            self.activity.mark_idle(now);
        }
    }

    /// Whether what is read now belongs to a request's head.
    pub fn expects_a_head(&self) -> bool {
        !self.last.get() && matches!(self.turn.get(), Turn::Head(_))
    }

    /// Whether a head begins with what is read now; says so once for each.
    pub fn expects_another_head(&self) -> bool {
        self.expects_a_head() && self.another.take()
    }

    /// The client takes nothing more for now.
    pub fn stall(&self, now: Instant) {
        self.activity.mark_busy();
        self.stalled.set(self.stalled.get().or(Some(now + STALL)));
    }

    /// The client has taken some of what waited.
    pub fn take(&self, bytes: usize, now: Instant) {
        if let Some(until) = self.stalled.get() {
            let earned = Duration::from_secs(1) * u32::try_from(bytes).unwrap_or(u32::MAX) / SLOWEST;
            self.stalled.set(Some((until + earned.min(STALL)).min(now + STALL)));
        }
    }

    /// Nothing waits to be written any more.
    pub fn taken(&self, now: Instant) {
        if self.stalled.take().is_none() {
            return;
        }
        match self.turn.get() {
            Turn::Head(_) => self.wait_for_a_head(now),
            Turn::Body(_) => self.activity.mark_idle(now),
            Turn::Answer => {}
        }
    }

    /// Whether the client has taken too long.
    pub fn is_over(&self, now: Instant) -> bool {
        let until = match (self.stalled.get(), self.turn.get()) {
            (stalled, Turn::Body(until)) => Some(stalled.map_or(until, |stalled| stalled.min(until))),
            // Who is still taking the last answer need not send the next head.
            (None, Turn::Head(until)) => Some(until),
            (stalled, Turn::Head(_) | Turn::Answer) => stalled,
        };
        until.is_some_and(|until| now >= until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new(now: Instant) -> Patience {
        Patience::new(now, Arc::new(Activity::idle(now, now)))
    }

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn head_timeout_restarts_after_each_response() {
        let start = Instant::now();
        let patience = new(start);
        assert!(!patience.is_over(start + seconds(10)) && patience.is_over(start + seconds(11)));
        patience.begin(false, false, start + seconds(9));
        assert!(!patience.is_over(start + seconds(10_000)), "the server may take its time");
        patience.end(start + seconds(100));
        assert!(!patience.is_over(start + seconds(110)) && patience.is_over(start + seconds(111)));
    }

    #[test]
    fn connection_ends_after_the_last_response() {
        let start = Instant::now();
        let patience = new(start);
        patience.begin(false, true, start);
        assert!(!patience.has_ended());
        patience.end(start);
        assert!(patience.has_ended() && patience.is_over(start + seconds(1)));
    }

    #[test]
    fn body_timeout_is_not_extended_by_progress() {
        let start = Instant::now();
        let patience = new(start);
        patience.begin(true, false, start);
        assert!(patience.is_over(start + seconds(11)));
        patience.arrived();
        assert!(!patience.is_over(start + seconds(11)));
    }

    #[test]
    fn response_must_be_read_at_a_minimum_rate() {
        let start = Instant::now();
        let patience = new(start);
        patience.begin(false, false, start);
        patience.stall(start);
        for second in 1..20 {
            patience.take(1, start + seconds(second));
            patience.stall(start + seconds(second));
            assert!(!patience.is_over(start + seconds(second)));
        }
        assert!(patience.is_over(start + seconds(21)), "a byte a second is not reading");
        patience.take(10 * 1_024, start + seconds(21));
        assert!(!patience.is_over(start + seconds(29)) && patience.is_over(start + seconds(31)));
        patience.take(usize::MAX, start + seconds(31));
        assert!(!patience.is_over(start + seconds(50)) && patience.is_over(start + seconds(51)));
        patience.taken(start + seconds(51));
        assert!(!patience.is_over(start + seconds(1_000)));
    }

    #[test]
    fn head_timeout_waits_until_the_response_is_written() {
        let start = Instant::now();
        let patience = new(start);
        patience.begin(false, false, start);
        patience.stall(start);
        patience.end(start);
        patience.take(1 << 20, start + seconds(15));
        assert!(!patience.is_over(start + seconds(30)));
        patience.taken(start + seconds(30));
        assert!(!patience.is_over(start + seconds(40)) && patience.is_over(start + seconds(41)));
    }

    #[test]
    fn connection_is_idle_only_without_work_or_pending_writes() {
        let start = Instant::now();
        let patience = new(start);
        let is_idle = || patience.activity.idle_since().is_some();
        assert!(is_idle(), "before the first request");
        patience.begin(true, false, start);
        assert!(is_idle(), "a body that has not come is no work");
        patience.arrived();
        assert!(!is_idle());
        patience.end(start);
        assert!(is_idle(), "between two requests");
        patience.begin(false, false, start);
        patience.stall(start);
        patience.end(start);
        assert!(!is_idle(), "the answer is still being written");
        patience.taken(start + seconds(1));
        assert!(is_idle());
        patience.stall(start);
        patience.begin(true, false, start);
        assert!(!is_idle(), "the answer before the body is still being written");
        patience.taken(start + seconds(1));
        assert!(is_idle());
    }
}
