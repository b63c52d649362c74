//! Checks for health requests that the log can be written: observes the writer, and makes a bounded attempt
//! if the writer is idle.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde::Serialize;
use sqlx::PgPool;
use tokio::sync::watch;
use utoipa::ToSchema;

use super::error::LogError;
use super::reply_batcher::CommitOutcome;
use super::store;
use super::timeout::with_step_timeout;
use crate::clock::monotonic_now;

/// The time without a successful write after which the log counts as not writable. PostgreSQL waits equally
/// long for the head lock.
pub const WRITE_TIMEOUT: Duration = Duration::from_secs(2);
/// The shortest time between two attempts, and between a commit and an attempt.
const MIN_ATTEMPT_INTERVAL: Duration = Duration::from_secs(1);

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
    /// The database does not answer.
    NoAnswer,
}

/// The state of the writer and of the attempts.
pub(super) struct WriteHealth {
    state: Mutex<WriteState>,
    /// The number of attempts that have ended.
    attempts: watch::Sender<u64>,
}

#[derive(Default)]
struct WriteState {
    is_writing: bool,
    committed_at: Option<Instant>,
    /// The start of the earliest batch since the last success.
    writer_fails_since: Option<Instant>,
    is_trying: bool,
    tried_at: Option<Instant>,
    /// The start of the earliest attempt since the last success.
    attempts_fail_since: Option<Instant>,
    /// The reason why the last attempt failed.
    reason: Option<Unwritable>,
}

impl WriteHealth {
    /// Returns the state before the first batch.
    pub(super) fn new() -> Self {
        Self { state: Mutex::default(), attempts: watch::Sender::new(0) }
    }

    /// Records that the writer begins a batch.
    pub(super) fn begin_batch(&self) {
        let mut state = self.state.lock();
        state.is_writing = true;
        state.writer_fails_since.get_or_insert_with(monotonic_now);
    }

    /// Records the outcome of the batch.
    pub(super) fn end_batch(&self, outcome: CommitOutcome) {
        let mut state = self.state.lock();
        state.is_writing = false;
        if outcome == CommitOutcome::Committed {
            state.committed_at = Some(monotonic_now());
            state.writer_fails_since = None;
            state.attempts_fail_since = None;
            state.reason = None;
        }
    }

    /// Starts an attempt to lock the head of the log for a moment, if one is due.
    pub(super) fn start_attempt(self: &Arc<Self>, pool: &PgPool) {
        if !self.begin_attempt() {
            return;
        }
        // The attempt is a task of its own: if the caller is dropped, it must still end.
        let (health, pool) = (self.clone(), pool.clone());
        tokio::spawn(async move {
            let result = with_step_timeout(lock_head_once(&pool)).await;
            health.end_attempt(result.map_err(|error| reason_of(&error)));
        });
    }

    /// Returns true if an attempt is due, and records its start.
    fn begin_attempt(&self) -> bool {
        let now = monotonic_now();
        let is_recent = |at: Option<Instant>| at.is_some_and(|at| now - at < MIN_ATTEMPT_INTERVAL);
        let mut state = self.state.lock();
        if state.is_trying || is_recent(state.committed_at) || is_recent(state.tried_at) {
            return false;
        }
        state.is_trying = true;
        state.tried_at = Some(now);
        state.attempts_fail_since.get_or_insert(now);
        true
    }

    fn end_attempt(&self, result: Result<(), Unwritable>) {
        let mut state = self.state.lock();
        state.is_trying = false;
        state.reason = result.err();
        if result.is_ok() {
            state.attempts_fail_since = None;
            // Only a write could show that the writer works again, and an idle server may never get one.
            if !state.is_writing {
                state.writer_fails_since = None;
            }
        }
        drop(state);
        self.attempts.send_modify(|count| *count += 1);
    }

    /// Returns when no attempt is running, or after `timeout`.
    pub(super) async fn wait_for_attempt(&self, timeout: Duration) {
        let mut attempts = self.attempts.subscribe();
        if self.state.lock().is_trying {
            let _ = tokio::time::timeout(timeout, attempts.changed()).await;
        }
    }

    /// Checks that writing works, as far as the writer and the attempts know.
    ///
    /// # Errors
    /// The reason why nothing can be written.
    pub(super) fn check(&self, is_queue_full: bool) -> Result<(), Unwritable> {
        let state = self.state.lock();
        let failures = [state.writer_fails_since, state.attempts_fail_since];
        let is_failing = failures.into_iter().flatten().any(|since| since.elapsed() >= WRITE_TIMEOUT);
        match (state.reason, is_queue_full) {
            (Some(Unwritable::ReadOnly), _) => Err(Unwritable::ReadOnly),
            _ if !is_failing => Ok(()),
            (Some(reason), _) => Err(reason),
            (None, true) => Err(Unwritable::QueueFull),
            (None, false) => Err(Unwritable::NoAnswer),
        }
    }
}

async fn lock_head_once(pool: &PgPool) -> Result<(), sqlx::Error> {
    let mut connection = pool.acquire().await?;
    store::try_lock_head(&mut connection).await
}

fn reason_of(error: &LogError) -> Unwritable {
    const LOCK_NOT_AVAILABLE: &str = "55P03";
    const READ_ONLY_TRANSACTION: &str = "25006";
    let database_error = match error {
        LogError::Database(error) => error.as_database_error(),
        _ => None,
    };
    match database_error.and_then(|error| error.code()).as_deref() {
        Some(LOCK_NOT_AVAILABLE) => Unwritable::HeadLocked,
        Some(READ_ONLY_TRANSACTION) => Unwritable::ReadOnly,
        _ => {
            error.report("attempt to lock the head failed");
            Unwritable::NoAnswer
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a state in which the writer, the attempts, or both have failed for longer than the limit.
    fn failing(writer: bool, attempts: bool) -> WriteHealth {
        let health = WriteHealth::new();
        let before = monotonic_now().checked_sub(WRITE_TIMEOUT);
        let mut state = health.state.lock();
        state.writer_fails_since = before.filter(|_| writer);
        state.attempts_fail_since = before.filter(|_| attempts);
        state.is_writing = writer;
        drop(state);
        health
    }

    #[test]
    fn server_without_writes_is_writable() {
        assert_eq!(WriteHealth::new().check(false), Ok(()));
        assert_eq!(WriteHealth::new().check(true), Ok(()), "a queue may be full for a moment");
    }

    #[test]
    fn stuck_writer_is_unwritable_although_attempts_succeed() {
        let health = failing(true, false);
        health.end_attempt(Ok(()));
        assert_eq!(health.check(false), Err(Unwritable::NoAnswer));
        assert_eq!(health.check(true), Err(Unwritable::QueueFull));
        health.end_batch(CommitOutcome::NotCommitted);
        health.begin_batch();
        assert_eq!(health.check(false), Err(Unwritable::NoAnswer), "the next batch has not succeeded yet");
        health.end_batch(CommitOutcome::Committed);
        assert_eq!(health.check(true), Ok(()));
    }

    #[test]
    fn successful_attempt_clears_failure_of_idle_writer() {
        let health = failing(true, false);
        health.end_batch(CommitOutcome::Unknown);
        assert!(health.check(false).is_err());
        health.end_attempt(Ok(()));
        assert_eq!(health.check(false), Ok(()));
    }

    #[test]
    fn reports_reason_of_last_attempt() {
        let health = failing(true, true);
        health.end_attempt(Err(Unwritable::HeadLocked));
        assert_eq!(health.check(true), Err(Unwritable::HeadLocked));
        let health = WriteHealth::new();
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
        health.end_batch(CommitOutcome::Committed);
        assert!(!health.begin_attempt(), "a recent commit makes an attempt unnecessary");
    }
}
