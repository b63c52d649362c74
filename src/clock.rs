//! The only source of time and randomness.
#![allow(clippy::disallowed_methods)]

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use chrono::{DateTime, TimeDelta, Utc};
use tokio::sync::Notify;

/// The clock of the server. Clones share one offset, so a test that moves one of them moves all.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    offset_microseconds: Arc<AtomicI64>,
    /// Wakes sleepers when the offset changes.
    moved: Arc<Notify>,
}

impl Clock {
    /// Returns the current time of this machine, plus the offset.
    pub fn now(&self) -> DateTime<Utc> {
        Utc::now() + self.offset()
    }

    /// Returns the offset, which is zero outside tests. The database adds it to its own time.
    pub fn offset(&self) -> TimeDelta {
        TimeDelta::microseconds(self.offset_microseconds.load(Ordering::SeqCst))
    }

    /// Moves the time forward.
    pub fn advance(&self, by: TimeDelta) {
        let microseconds = by.num_microseconds().unwrap_or(i64::MAX);
        self.offset_microseconds.fetch_add(microseconds, Ordering::SeqCst);
        self.moved.notify_waiters();
    }

    /// Completes when this clock shows `time`, also if it was moved there.
    pub async fn sleep_until(&self, time: DateTime<Utc>) {
        loop {
            let mut moved = pin!(self.moved.notified());
            // From here on no move is missed, even before the first poll.
            moved.as_mut().enable();
            let Ok(remaining) = (time - self.now()).to_std() else { return };
            if remaining.is_zero() {
                return;
            }
            // A timeout is the expected result; a move only makes the remaining time shorter.
            let _ = tokio::time::timeout(remaining, moved).await;
        }
    }
}

/// Returns the current monotonic time, for measuring durations.
pub fn monotonic_now() -> std::time::Instant {
    std::time::Instant::now()
}

/// Returns a new opaque id: the prefix, an underscore and 122 random bits.
pub fn new_id(prefix: &str) -> String {
    format!("{prefix}_{}", uuid::Uuid::new_v4().simple())
}

/// Returns random bytes for a key.
///
/// # Errors
/// If the operating system provides none.
pub fn random_bytes<const N: usize>() -> Result<[u8; N], getrandom::Error> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn sleepers_wake_when_the_clock_is_moved() {
        let clock = Clock::default();
        let start = clock.now();
        let sleeper = clock.sleep_until(start + TimeDelta::hours(2));
        let mover = async {
            clock.advance(TimeDelta::hours(1));
            clock.advance(TimeDelta::hours(1));
        };
        tokio::join!(sleeper, mover);
        clock.sleep_until(start).await;
        assert!(clock.now() >= start + TimeDelta::hours(2));
    }
}
