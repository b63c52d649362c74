//! Tells the operator's numbers what happens to the log.

use chrono::{DateTime, Utc};

use super::desk::Fate;
use super::error::LogError;
use crate::live::event::Event;
use crate::refusal::Refusal;
use crate::telemetry::METRICS;

/// These events were taken in.
pub(super) fn events(events: &[Event]) {
    let numbers = &METRICS.follower;
    for event in events {
        match event {
            Event::Pixel(_) => numbers.pixels.inc(),
            Event::Chat(_) => numbers.chat.inc(),
            Event::Reaction(_) => numbers.reactions.inc(),
            _ => numbers.other.inc(),
        }
    }
}

/// This became of a batch.
pub(super) fn fate(fate: Fate) {
    match fate {
        Fate::Committed => METRICS.writer.committed.inc(),
        Fate::Undone => METRICS.writer.undone.inc(),
        Fate::Unknown => METRICS.writer.unknown.inc(),
    }
}

/// The queue was full.
pub(super) fn overload() -> Refusal {
    METRICS.writer.overloads.inc();
    Refusal::Overloaded
}

/// All that is in the log is known here.
pub(super) fn at_head(now: DateTime<Utc>) {
    METRICS.follower.at_head();
    METRICS.database.answered(now);
}

/// The log cannot be followed.
pub(super) fn lost(error: &LogError) {
    METRICS.database.up.set(0);
    error.count();
}
