//! Metrics of the log.

use caraplace_live::event::Event;
use chrono::{DateTime, Utc};
use platform::database;
use platform::refusal::Refusal;
use platform::telemetry::METRICS;

use super::error::LogError;
use super::reply_batcher::CommitOutcome;

/// Counts applied events.
pub(super) fn count_events(events: &[Event]) {
    events.iter().for_each(|event| METRICS.follower.count_event(event.kind()));
}

/// Counts a batch by its outcome.
pub(super) fn count_batch(outcome: CommitOutcome) {
    match outcome {
        CommitOutcome::Committed => METRICS.writer.committed.inc(),
        CommitOutcome::NotCommitted => METRICS.writer.not_committed.inc(),
        CommitOutcome::Unknown => METRICS.writer.unknown.inc(),
    }
}

/// Counts a command that was refused because the queue was full, and returns the refusal.
pub(super) fn count_overload() -> Refusal {
    METRICS.writer.overloads.inc();
    Refusal::Overloaded
}

/// Records that this instance is at the head of the log.
pub(super) fn record_at_head(now: DateTime<Utc>) {
    METRICS.follower.record_at_head();
    METRICS.database.record_success(now);
    database::set_answering(true);
}

/// Records that the follower has lost its connection.
pub(super) fn record_lost_connection() {
    METRICS.database.up.set(0);
    database::set_answering(false);
}

/// Records that the follower cannot read the log.
pub(super) fn record_follower_error(error: &LogError) {
    record_lost_connection();
    error.count_in_metrics();
}
