//! Limits the log lines about failed and slow requests: the first of a kind, then one line a minute with the
//! number of the others.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// The shortest time between two lines about requests of the same kind.
const SUMMARY_INTERVAL: Duration = Duration::from_mins(1);

/// Requests to one route that have failed, or were slow, in the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct WarningKind {
    pub(super) method: &'static str,
    pub(super) route: &'static str,
    pub(super) status: u16,
    /// The error code, or empty.
    pub(super) code: &'static str,
    /// The words of the log line: `failed` or `was slow`.
    pub(super) outcome: &'static str,
}

/// The requests of one kind since the last line about them.
struct Unlogged {
    since: Instant,
    count: u64,
    /// The cause of the last internal error among them.
    last_cause: Option<String>,
}

/// The kinds of requests that have been logged. Routes and codes are fixed, so there are few.
#[derive(Default)]
pub(super) struct WarningLog {
    kinds: Mutex<HashMap<WarningKind, Unlogged>>,
    /// True if the count of a kind may be above zero, so that other requests need no lock.
    has_unlogged: AtomicBool,
}

impl WarningLog {
    /// Returns true if the request is to be logged: no request of its kind was within the last minute.
    /// Otherwise counts it, and keeps the cause of an internal error.
    pub(super) fn try_log(&self, kind: WarningKind, cause: Option<&str>, now: Instant) -> bool {
        let mut kinds = self.kinds.lock();
        let is_recent = |logged: &Unlogged| logged.count > 0 || !is_due(logged, now);
        if let Some(logged) = kinds.get_mut(&kind).filter(|logged| is_recent(logged)) {
            logged.count += 1;
            logged.last_cause = cause.map(str::to_owned).or(logged.last_cause.take());
            self.has_unlogged.store(true, Ordering::Relaxed);
            return false;
        }
        kinds.insert(kind, Unlogged { since: now, count: 0, last_cause: None });
        true
    }

    /// Logs how many requests of each kind were not logged, and the cause of the last one, once a minute.
    pub(super) fn log_summaries(&self, now: Instant) {
        for (kind, count, cause) in self.take_due(now) {
            let WarningKind { method, route, status, code, outcome } = kind;
            let cause = cause.as_deref();
            tracing::warn!(method, route, status, code, count, cause, "request {outcome} again");
        }
    }

    /// Returns the kinds whose minute is over, with the number of requests in it and the last cause.
    fn take_due(&self, now: Instant) -> Vec<(WarningKind, u64, Option<String>)> {
        if !self.has_unlogged.load(Ordering::Relaxed) {
            return Vec::new();
        }
        let mut kinds = self.kinds.lock();
        let mut due = Vec::new();
        for (kind, logged) in kinds.iter_mut().filter(|(_, logged)| logged.count > 0 && is_due(logged, now)) {
            due.push((*kind, logged.count, logged.last_cause.take()));
            *logged = Unlogged { since: now, count: 0, last_cause: None };
        }
        let has_unlogged = kinds.values().any(|logged| logged.count > 0);
        self.has_unlogged.store(has_unlogged, Ordering::Relaxed);
        due
    }
}

fn is_due(logged: &Unlogged, now: Instant) -> bool {
    now.saturating_duration_since(logged.since) >= SUMMARY_INTERVAL
}

#[cfg(test)]
mod tests {
    use platform::clock::monotonic_now;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn failure(route: &'static str) -> WarningKind {
        WarningKind { method: "POST", route, status: 503, code: "database_unavailable", outcome: "failed" }
    }

    #[test]
    fn a_thousand_failures_are_one_line_and_one_count_a_minute() {
        let log = WarningLog::default();
        let start = monotonic_now();
        let pixel = failure("/api/pixel");
        assert_eq!((0..1_000).filter(|_| log.try_log(pixel, None, start)).count(), 1);
        assert_eq!(log.take_due(start + 59 * SECOND), []);
        assert_eq!(log.take_due(start + 60 * SECOND), [(pixel, 999, None)]);
        assert_eq!(log.take_due(start + 61 * SECOND), [], "each is counted once");
        assert!(!log.try_log(pixel, Some("no answer"), start + 70 * SECOND), "it goes on");
        assert!(!log.try_log(pixel, None, start + 71 * SECOND));
        assert_eq!(log.take_due(start + 120 * SECOND), [(pixel, 2, Some("no answer".to_owned()))]);
    }

    #[test]
    fn a_failure_after_a_quiet_minute_is_logged_in_full() {
        let log = WarningLog::default();
        let start = monotonic_now();
        let pixel = failure("/api/pixel");
        assert!(log.try_log(pixel, None, start));
        assert!(log.try_log(pixel, None, start + 60 * SECOND));
        assert!(!log.try_log(pixel, None, start + 61 * SECOND));
    }

    #[test]
    fn every_kind_is_logged_by_itself() {
        let log = WarningLog::default();
        let start = monotonic_now();
        let pixel = failure("/api/pixel");
        let slow = WarningKind { status: 201, code: "", outcome: "was slow", ..pixel };
        for kind in [pixel, failure("/api/chat"), WarningKind { method: "GET", ..pixel }, slow] {
            assert!(log.try_log(kind, None, start), "{kind:?}");
            assert!(!log.try_log(kind, None, start), "{kind:?}");
        }
        assert_eq!(log.take_due(start + 60 * SECOND).len(), 4);
    }
}
