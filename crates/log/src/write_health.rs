//! Tells health requests if the log can be written: observes the writer, and the attempts to write if the
//! writer has written nothing for a second.

use std::time::{Duration, Instant};

use parking_lot::Mutex;
use platform::clock::monotonic_now;
use serde::Serialize;
use tokio::sync::watch;
use utoipa::ToSchema;

use super::error::LogError;

/// The time without a successful write after which the log counts as not writable. PostgreSQL waits equally
/// long for the head lock.
pub const WRITE_TIMEOUT: Duration = Duration::from_secs(2);
/// The interval between two attempts of an idle server, and the shortest time between a commit and an
/// attempt.
pub(super) const ATTEMPT_INTERVAL: Duration = Duration::from_secs(1);

/// The reason why nothing can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Unwritable {
    /// Another session has locked the head of the log, or a write does not end.
    HeadLocked,
    /// The database is read-only: it is a standby, or was set to read-only.
    ReadOnly,
    /// The queue of commands is full, and none of them is written.
    QueueFull,
    /// The disk of the database is full.
    DiskFull,
    /// The database does not answer.
    NoAnswer,
}

impl Unwritable {
    /// Returns the name of the reason, as responses and metrics have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::HeadLocked => "head_locked",
            Self::ReadOnly => "read_only",
            Self::QueueFull => "queue_full",
            Self::DiskFull => "disk_full",
            Self::NoAnswer => "no_answer",
        }
    }
}

impl From<&LogError> for Unwritable {
    fn from(error: &LogError) -> Self {
        const LOCK_NOT_AVAILABLE: &str = "55P03";
        const READ_ONLY_TRANSACTION: &str = "25006";
        const DISK_FULL: &str = "53100";
        let database_error = match error {
            LogError::Database(error) => error.as_database_error(),
            _ => None,
        };
        match database_error.and_then(|error| error.code()).as_deref() {
            Some(LOCK_NOT_AVAILABLE) => Self::HeadLocked,
            Some(READ_ONLY_TRANSACTION) => Self::ReadOnly,
            Some(DISK_FULL) => Self::DiskFull,
            _ => Self::NoAnswer,
        }
    }
}

/// The state of the writer and of the attempts.
pub(super) struct WriteHealth {
    state: Mutex<WriteState>,
    /// The number of attempts that have ended.
    attempts: watch::Sender<u64>,
}

#[derive(Default)]
struct WriteState {
    /// The start of the batch in progress.
    batch_began_at: Option<Instant>,
    /// The last commit of a row, by the writer or by an attempt.
    written_at: Option<Instant>,
    /// The end of the last batch that could not be written, unless one was written since.
    batch_failed_at: Option<Instant>,
    is_trying: bool,
    tried_at: Option<Instant>,
    /// The reason why the last batch or attempt failed.
    reason: Option<Unwritable>,
}

impl WriteHealth {
    /// Returns the state before the first batch.
    pub(super) fn new() -> Self {
        Self { state: Mutex::default(), attempts: watch::Sender::new(0) }
    }

    /// Records that the writer begins a batch.
    pub(super) fn begin_batch(&self) {
        self.state.lock().batch_began_at = Some(monotonic_now());
    }

    /// Records the end of the batch: whether it wrote a row, or why it failed.
    pub(super) fn end_batch(&self, result: Result<bool, Unwritable>) {
        let mut state = self.state.lock();
        state.batch_began_at = None;
        match result {
            Ok(true) => {
                state.written_at = Some(monotonic_now());
                state.batch_failed_at = None;
                state.reason = None;
            }
            // Refusals show only that the database can be read.
            Ok(false) => {}
            Err(reason) => {
                state.batch_failed_at = Some(monotonic_now());
                state.reason = Some(reason);
            }
        }
    }

    /// Returns true if an attempt is due, and records its start.
    pub(super) fn begin_attempt(&self) -> bool {
        let now = monotonic_now();
        let is_recent = |at: Option<Instant>| at.is_some_and(|at| now - at < ATTEMPT_INTERVAL);
        let mut state = self.state.lock();
        if state.is_trying || is_recent(state.written_at) || is_recent(state.tried_at) {
            return false;
        }
        state.is_trying = true;
        state.tried_at = Some(now);
        true
    }

    /// Records the end of an attempt. Returns true if the batch or attempt before it failed, too, so that
    /// only the first failure is logged.
    pub(super) fn end_attempt(&self, result: Result<(), Unwritable>) -> bool {
        let mut state = self.state.lock();
        state.is_trying = false;
        let was_failing = state.reason.is_some();
        state.reason = result.err();
        if result.is_ok() {
            state.written_at = Some(monotonic_now());
        }
        drop(state);
        self.attempts.send_modify(|count| *count += 1);
        was_failing
    }

    /// Returns when no attempt is running, or after `timeout`; before the first result after `first_timeout`.
    pub(super) async fn wait_for_attempt(&self, timeout: Duration, first_timeout: Duration) {
        let mut attempts = self.attempts.subscribe();
        let (is_trying, has_result) = {
            let state = self.state.lock();
            (state.is_trying, state.written_at.is_some() || state.reason.is_some())
        };
        if is_trying {
            let timeout = if has_result { timeout } else { first_timeout };
            let _ = tokio::time::timeout(timeout, attempts.changed()).await;
        }
    }

    /// Checks that a row was written lately, and that the writer has not failed or waited since.
    ///
    /// # Errors
    /// The reason why nothing can be written.
    pub(super) fn check(&self, is_queue_full: bool) -> Result<(), Unwritable> {
        let state = self.state.lock();
        let is_recent = |at: Option<Instant>| at.is_some_and(|at| at.elapsed() < WRITE_TIMEOUT);
        let is_stuck = state.batch_began_at.is_some_and(|at| at.elapsed() >= WRITE_TIMEOUT);
        // A failed batch counts for more than a successful attempt, because it may have needed more.
        let is_writable = is_recent(state.written_at) && !is_recent(state.batch_failed_at) && !is_stuck;
        match state.reason {
            Some(Unwritable::ReadOnly) => Err(Unwritable::ReadOnly),
            _ if is_writable => Ok(()),
            Some(reason) => Err(reason),
            None if is_queue_full => Err(Unwritable::QueueFull),
            None => Err(Unwritable::NoAnswer),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a state in which a row was written long ago, and a batch has been in progress since then.
    fn stuck() -> WriteHealth {
        let health = WriteHealth::new();
        let before = monotonic_now().checked_sub(WRITE_TIMEOUT);
        let mut state = health.state.lock();
        (state.written_at, state.batch_began_at) = (before, before);
        drop(state);
        health
    }

    #[test]
    fn only_a_written_row_makes_a_server_writable() {
        let health = WriteHealth::new();
        assert_eq!(health.check(false), Err(Unwritable::NoAnswer), "nothing was written yet");
        health.begin_batch();
        health.end_batch(Ok(false));
        assert_eq!(health.check(false), Err(Unwritable::NoAnswer), "the batch consisted of refusals");
        health.end_attempt(Ok(()));
        assert_eq!(health.check(true), Ok(()), "a queue may be full for a moment");
        assert_eq!(stuck().check(true), Err(Unwritable::QueueFull));
    }

    #[test]
    fn stuck_writer_is_unwritable_although_attempts_succeed() {
        let health = stuck();
        health.end_attempt(Ok(()));
        assert_eq!(health.check(false), Err(Unwritable::NoAnswer));
        health.end_batch(Err(Unwritable::NoAnswer));
        health.begin_batch();
        health.end_attempt(Ok(()));
        assert!(health.check(false).is_err(), "the next batch has not succeeded yet");
        health.end_batch(Ok(true));
        assert_eq!(health.check(true), Ok(()));
    }

    #[test]
    fn failed_batch_outweighs_attempts_for_two_seconds() {
        let health = WriteHealth::new();
        health.end_batch(Err(Unwritable::DiskFull));
        assert_eq!(health.check(false), Err(Unwritable::DiskFull));
        health.end_attempt(Ok(()));
        assert!(health.check(false).is_err(), "attempts may need less room than batches");
        health.state.lock().batch_failed_at = monotonic_now().checked_sub(WRITE_TIMEOUT);
        assert_eq!(health.check(false), Ok(()), "an idle server may never get another batch");
    }

    #[test]
    fn reports_reason_of_last_attempt() {
        let health = stuck();
        health.end_attempt(Err(Unwritable::HeadLocked));
        assert_eq!(health.check(true), Err(Unwritable::HeadLocked));
        let health = WriteHealth::new();
        health.end_attempt(Ok(()));
        health.end_attempt(Err(Unwritable::NoAnswer));
        assert_eq!(health.check(false), Ok(()), "not for two seconds yet");
        health.end_attempt(Err(Unwritable::ReadOnly));
        assert_eq!(health.check(false), Err(Unwritable::ReadOnly));
    }

    #[test]
    fn attempts_once_per_second_without_overlap() {
        let health = WriteHealth::new();
        assert!(health.begin_attempt() && !health.begin_attempt());
        health.end_attempt(Ok(()));
        assert!(!health.begin_attempt(), "the last one was a moment ago");
        let health = WriteHealth::new();
        health.end_batch(Ok(true));
        assert!(!health.begin_attempt(), "a recent commit makes an attempt unnecessary");
    }
}
