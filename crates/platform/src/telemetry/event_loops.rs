//! Detects stalled event loops: measures how late each loop's timer wakes it and how long each poll of an
//! important task takes, counts stalls and logs them.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Weak};
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use prometheus::{Histogram, HistogramVec, IntCounter, IntCounterVec};

use super::METRICS;
use super::register::metrics;
use crate::clock::monotonic_now;

/// A loop that runs nothing for longer than this has stalled.
pub const STALL_THRESHOLD: Duration = Duration::from_millis(50);
/// The period of a loop's heartbeat. A stall is certain to be detected once it lasts for the threshold and
/// one period.
const HEARTBEAT_INTERVAL: Duration = Duration::from_millis(10);
/// The shortest time between two warnings about the same loop.
const WARNING_INTERVAL: Duration = Duration::from_mins(1);
/// A stall that lasts this long is logged before it ends.
const LONG_STALL_THRESHOLD: Duration = Duration::from_secs(1);
/// The interval at which the monitor thread looks for long stalls.
const MONITOR_INTERVAL: Duration = Duration::from_millis(250);
/// The last heartbeat of a task that is not being polled: it cannot block anything.
const NOT_POLLED: u64 = u64::MAX;
/// Upper bounds of the histogram's buckets, in seconds.
const STALL_BUCKETS: &[f64] = &[0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0];

metrics! {
    /// The metrics of stalled event loops.
    EventLoopMetrics {
        stalls: IntCounterVec = "caraplace_event_loop_stalls_total" ["worker"]
            "Stalls of over 50 ms, by worker: http-0 and up answer requests; writer and follower are the \
             tasks that write and follow the log, measured at each poll; main stalls only if all threads of \
             its runtime do.";
        seconds: HistogramVec = "caraplace_event_loop_stall_seconds" ["worker"]
            "Seconds of each stall of an event loop, by worker. The worker answers nothing during a stall."
            in STALL_BUCKETS;
    }
}

/// Returns a future that measures the event loop that runs it. `worker` is its name in metrics and warnings.
/// The metrics exist at once; the future never ends.
pub fn watch(worker: String) -> impl Future<Output = ()> + Send + 'static {
    let watched = Arc::new(WatchedLoop::new(worker));
    MONITOR.add(&watched);
    async move {
        loop {
            let due = monotonic_now() + HEARTBEAT_INTERVAL;
            tokio::time::sleep(HEARTBEAT_INTERVAL).await;
            watched.record_heartbeat(due, monotonic_now());
        }
    }
}

/// Runs a task and measures each of its polls under this name. On a runtime with several threads, a task that
/// blocks its thread does not delay the heartbeat, because that runs on another thread.
pub async fn watch_polls<F: Future>(worker: &str, task: F) -> F::Output {
    let watched = Arc::new(WatchedLoop::new(worker.to_owned()));
    watched.last_beat.store(NOT_POLLED, Ordering::Relaxed);
    MONITOR.add(&watched);
    let mut task = pin!(task);
    poll_fn(|context| {
        let begun = monotonic_now();
        watched.last_beat.store(MONITOR.milliseconds(begun), Ordering::Relaxed);
        let polled = task.as_mut().poll(context);
        watched.last_beat.store(NOT_POLLED, Ordering::Relaxed);
        let now = monotonic_now();
        watched.record_block(now.saturating_duration_since(begun), now);
        polled
    })
    .await
}

/// An event loop or task under watch.
struct WatchedLoop {
    worker: String,
    stalls: IntCounter,
    seconds: Histogram,
    /// The time of the last heartbeat of a loop, or of the start of a task's poll, in milliseconds since the
    /// monitor's start; or `NOT_POLLED`.
    last_beat: AtomicU64,
    pending_warnings: Mutex<PendingWarnings>,
}

impl WatchedLoop {
    fn new(worker: String) -> Self {
        let stalls = &METRICS.event_loops.stalls;
        let seconds = &METRICS.event_loops.seconds;
        Self {
            stalls: stalls.with_label_values(&[&worker]),
            seconds: seconds.with_label_values(&[&worker]),
            last_beat: AtomicU64::new(MONITOR.milliseconds(monotonic_now())),
            pending_warnings: Mutex::default(),
            worker,
        }
    }

    /// Records a heartbeat that was due at one time and came at another.
    fn record_heartbeat(&self, due: Instant, now: Instant) {
        self.last_beat.store(MONITOR.milliseconds(now), Ordering::Relaxed);
        self.record_block(now.saturating_duration_since(due), now);
    }

    /// Records the time for which nothing else ran, and counts it if it was a stall.
    fn record_block(&self, blocked: Duration, now: Instant) {
        if blocked > STALL_THRESHOLD {
            self.stalls.inc();
            self.seconds.observe(blocked.as_secs_f64());
            self.pending_warnings.lock().add(blocked);
            self.warn_if_due(now);
        }
    }

    /// Logs the stalls that no warning has reported yet.
    fn warn_if_due(&self, now: Instant) {
        if let Some((stalls, longest)) = self.pending_warnings.lock().take_due(now) {
            let worker = &self.worker;
            let longest_ms = longest.as_millis();
            tracing::warn!(worker, stalls, longest_ms, "an event loop was blocked for over 50 ms");
        }
    }

    /// Logs a warning if the loop has been blocked for so long that it may never recover.
    fn check(&self, now: Instant) {
        self.warn_if_due(now);
        let last_beat = Duration::from_millis(self.last_beat.load(Ordering::Relaxed));
        let blocked = now.saturating_duration_since(MONITOR.started).saturating_sub(last_beat);
        if blocked > LONG_STALL_THRESHOLD && self.pending_warnings.lock().try_start_warning(now) {
            let worker = &self.worker;
            let blocked_ms = blocked.as_millis();
            tracing::warn!(worker, blocked_ms, "an event loop is blocked and answers nothing");
        }
    }
}

/// The stalls of one loop that no warning has reported yet, and the time of the last warning.
#[derive(Default)]
struct PendingWarnings {
    last: Option<Instant>,
    stalls: u64,
    longest: Duration,
}

impl PendingWarnings {
    fn add(&mut self, stall: Duration) {
        self.stalls += 1;
        self.longest = self.longest.max(stall);
    }

    /// Returns the number of stalls to warn of and the longest one, at most once per `WARNING_INTERVAL`.
    fn take_due(&mut self, now: Instant) -> Option<(u64, Duration)> {
        if self.stalls == 0 || !self.try_start_warning(now) {
            return None;
        }
        Some((std::mem::take(&mut self.stalls), std::mem::take(&mut self.longest)))
    }

    /// Returns true if a warning may be logged now, and records that it is.
    fn try_start_warning(&mut self, now: Instant) -> bool {
        let is_due = self.last.is_none_or(|last| now.saturating_duration_since(last) >= WARNING_INTERVAL);
        if is_due {
            self.last = Some(now);
        }
        is_due
    }
}

/// The loops under watch. A thread checks them, because a blocked loop cannot report itself.
struct Monitor {
    started: Instant,
    watched: Mutex<Vec<Weak<WatchedLoop>>>,
}

static MONITOR: LazyLock<Monitor> = LazyLock::new(|| {
    let started = thread::Builder::new().name("stall monitor".to_owned()).spawn(run_monitor);
    if let Err(error) = started {
        tracing::warn!(%error, "the stall monitor thread could not be started");
    }
    Monitor { started: monotonic_now(), watched: Mutex::default() }
});

impl Monitor {
    fn add(&self, watched: &Arc<WatchedLoop>) {
        self.watched.lock().push(Arc::downgrade(watched));
    }

    fn milliseconds(&self, moment: Instant) -> u64 {
        let since = moment.saturating_duration_since(self.started);
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }

    /// Checks all loops, and removes those that have ended.
    fn check(&self, now: Instant) {
        let check =
            |watched: &Weak<WatchedLoop>| watched.upgrade().inspect(|watched| watched.check(now)).is_some();
        self.watched.lock().retain(check);
    }
}

fn run_monitor() {
    loop {
        thread::sleep(MONITOR_INTERVAL);
        MONITOR.check(monotonic_now());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_blocked_loop_is_counted_and_measured() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let watched = WatchedLoop::new("test-blocked".to_owned());
        let stall_counted = async {
            // The watch sets its timer before the loop is blocked.
            tokio::task::yield_now().await;
            let begun = monotonic_now();
            while begun.elapsed() < 3 * STALL_THRESHOLD {}
            while watched.stalls.get() == 0 {
                tokio::task::yield_now().await;
            }
        };
        runtime.block_on(async {
            tokio::select! {
                biased;
                () = watch("test-blocked".to_owned()) => {}
                () = stall_counted => {}
                () = tokio::time::sleep(20 * SECOND) => panic!("no stall was counted"),
            }
        });
        assert!(watched.seconds.get_sample_sum() > STALL_THRESHOLD.as_secs_f64());
    }

    #[test]
    fn a_task_that_blocks_one_thread_of_several_is_measured() {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
        let watched = WatchedLoop::new("test-polls".to_owned());
        let task = watch_polls("test-polls", async {
            tokio::task::yield_now().await;
            let begun = monotonic_now();
            while begun.elapsed() < 3 * STALL_THRESHOLD {}
            tokio::task::yield_now().await;
            "done"
        });
        assert_eq!(runtime.block_on(runtime.spawn(task)).unwrap(), "done");
        assert!(watched.stalls.get() >= 1);
        assert!(watched.seconds.get_sample_sum() > STALL_THRESHOLD.as_secs_f64());
    }

    #[test]
    fn a_task_that_is_not_polled_blocks_nothing() {
        let watched = WatchedLoop::new("test-waiting".to_owned());
        watched.last_beat.store(NOT_POLLED, Ordering::Relaxed);
        watched.check(monotonic_now() + 100 * SECOND);
        assert_eq!(watched.pending_warnings.lock().last, None);
    }

    #[test]
    fn reports_stalls_even_if_no_other_follows() {
        let watched = WatchedLoop::new("test-told".to_owned());
        let now = monotonic_now();
        watched.record_block(2 * STALL_THRESHOLD, now);
        watched.record_block(2 * STALL_THRESHOLD, now);
        assert_eq!(watched.pending_warnings.lock().stalls, 1, "at most one warning in a minute");
        watched.last_beat.store(NOT_POLLED, Ordering::Relaxed);
        watched.check(now + WARNING_INTERVAL);
        assert_eq!(watched.pending_warnings.lock().stalls, 0);
    }

    #[test]
    fn a_heartbeat_in_time_is_no_stall() {
        let watched = WatchedLoop::new("test-prompt".to_owned());
        let now = monotonic_now();
        watched.record_heartbeat(now, now + STALL_THRESHOLD);
        assert_eq!(watched.stalls.get(), 0);
        watched.record_heartbeat(now, now + STALL_THRESHOLD + HEARTBEAT_INTERVAL);
        assert_eq!((watched.stalls.get(), watched.seconds.get_sample_count()), (1, 1));
    }

    #[test]
    fn warns_at_most_once_a_minute_of_all_stalls() {
        let mut warnings = PendingWarnings::default();
        let start = monotonic_now();
        assert_eq!(warnings.take_due(start), None, "nothing happened");
        warnings.add(STALL_THRESHOLD);
        assert_eq!(warnings.take_due(start), Some((1, STALL_THRESHOLD)));
        warnings.add(2 * SECOND);
        warnings.add(STALL_THRESHOLD);
        assert_eq!(warnings.take_due(start + 59 * SECOND), None);
        assert_eq!(warnings.take_due(start + 60 * SECOND), Some((2, 2 * SECOND)));
        assert_eq!(warnings.take_due(start + 200 * SECOND), None, "all stalls were reported");
    }

    #[test]
    fn reports_lasting_stall_at_intervals() {
        let watched = WatchedLoop::new("test-lasting".to_owned());
        let warned_at = || watched.pending_warnings.lock().last;
        let now = monotonic_now();
        watched.check(now);
        assert_eq!(warned_at(), None);
        watched.check(now + 2 * SECOND);
        watched.check(now + 3 * SECOND);
        assert_eq!(warned_at(), Some(now + 2 * SECOND));
        watched.check(now + 62 * SECOND);
        assert_eq!(warned_at(), Some(now + 62 * SECOND));
    }

    #[test]
    fn loops_that_have_ended_are_forgotten() {
        let monitor = Monitor { started: monotonic_now(), watched: Mutex::default() };
        let watched = Arc::new(WatchedLoop::new("test-ended".to_owned()));
        monitor.add(&watched);
        monitor.check(monotonic_now());
        assert_eq!(monitor.watched.lock().len(), 1);
        drop(watched);
        monitor.check(monotonic_now());
        assert!(monitor.watched.lock().is_empty());
    }
}
