//! The only source of time and randomness.
#![allow(clippy::disallowed_methods)]

pub mod boot_time;
pub mod course;

use std::pin::pin;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use chrono::{DateTime, SubsecRound as _, TimeDelta, Utc};
use parking_lot::Mutex;
use tokio::sync::Notify;

use boot_time::BootTime;
use course::{ClockChange, ClockLead, ClockReading, Course, MAX_DEVIATION};

/// The time for which a clock that was set back is reported.
const SET_BACK_REPORT_TIME: Duration = Duration::from_hours(1);

/// A moment to which monotonic times refer.
static ORIGIN: LazyLock<Instant> = LazyLock::new(Instant::now);

/// The clock of the server. It runs with the monotonic clock of the machine and is set by readings of the
/// database's clock. Clones share one state, so a test that moves one of them moves all.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    offsets: Arc<Offsets>,
    state: Arc<ClockState>,
}

/// Offsets of a clock, which only tests change.
#[derive(Debug, Default)]
struct Offsets {
    /// The time by which everything was moved.
    moved_microseconds: AtomicI64,
    /// The time by which the clocks of the machine and of the database were set, while monotonic ones ran on.
    set_microseconds: AtomicI64,
    /// Wakes sleepers when the offset changes.
    moved: Notify,
}

/// The course of time in one process.
#[derive(Debug)]
struct ClockState {
    /// The time at `ORIGIN`, in microseconds since 1970.
    origin_microseconds: AtomicI64,
    /// The lead of the database's clock.
    lead_microseconds: AtomicI64,
    course: Mutex<Course>,
    /// The last time at which the database's clock was set back, and by how much.
    set_back: Mutex<Option<(TimeDelta, DateTime<Utc>, BootTime)>>,
}

impl Default for ClockState {
    fn default() -> Self {
        let state = Self {
            origin_microseconds: AtomicI64::new(0),
            lead_microseconds: AtomicI64::new(0),
            course: Mutex::default(),
            set_back: Mutex::default(),
        };
        state.set_time(Utc::now());
        state
    }
}

impl ClockState {
    fn set_time(&self, now: DateTime<Utc>) {
        self.origin_microseconds.store(now.timestamp_micros() - since_origin(), Ordering::SeqCst);
    }
}

/// Returns the microseconds since `ORIGIN`.
fn since_origin() -> i64 {
    let origin = *ORIGIN;
    i64::try_from(Instant::now().saturating_duration_since(origin).as_micros()).unwrap_or(i64::MAX)
}

impl Clock {
    /// Returns the current time.
    pub fn now(&self) -> DateTime<Utc> {
        let microseconds = self.state.origin_microseconds.load(Ordering::SeqCst) + since_origin();
        DateTime::from_timestamp_micros(microseconds).unwrap_or_default() + self.moved_by()
    }

    /// Returns the time to add to the database's clock. It is zero unless that clock is ahead, or a test has
    /// moved the time.
    pub fn offset(&self) -> TimeDelta {
        let lead = TimeDelta::microseconds(self.state.lead_microseconds.load(Ordering::SeqCst));
        self.moved_by() + self.set_by() - lead
    }

    /// Returns the time by which tests have moved everything.
    pub fn moved_by(&self) -> TimeDelta {
        TimeDelta::microseconds(self.offsets.moved_microseconds.load(Ordering::SeqCst))
    }

    fn set_by(&self) -> TimeDelta {
        TimeDelta::microseconds(self.offsets.set_microseconds.load(Ordering::SeqCst))
    }

    /// Moves the time forward.
    pub fn advance(&self, by: TimeDelta) {
        let microseconds = by.num_microseconds().unwrap_or(i64::MAX);
        self.offsets.moved_microseconds.fetch_add(microseconds, Ordering::SeqCst);
        self.offsets.moved.notify_waiters();
    }

    /// Sets the clocks of the machine and of the database, as an administrator would, while the monotonic
    /// clock runs on. For tests.
    pub fn set_system_clocks(&self, by: TimeDelta) {
        let microseconds = by.num_microseconds().unwrap_or_default();
        self.offsets.set_microseconds.fetch_add(microseconds, Ordering::SeqCst);
    }

    /// Returns the clock of another process on the same machine, which knows nothing of this one's past. For
    /// tests.
    #[must_use]
    pub fn of_another_process(&self) -> Self {
        let state = ClockState::default();
        state.set_time(Utc::now() + self.set_by());
        Self { offsets: self.offsets.clone(), state: state.into() }
    }

    /// Begins with a reading of the database's clock, and its lead as an earlier process stored it.
    pub fn resume(&self, reading: ClockReading, stored: Option<ClockLead>) -> Option<ClockChange> {
        let set_reading = ClockReading { time: reading.time + self.set_by(), ..reading };
        self.state.course.lock().resume(set_reading, stored);
        self.follow(reading).1
    }

    /// Follows a reading of the database's clock. Returns the time at the reading, with the database's
    /// precision, and what has changed.
    pub fn follow(&self, reading: ClockReading) -> (DateTime<Utc>, Option<ClockChange>) {
        let reading = ClockReading { time: reading.time + self.set_by(), ..reading };
        let mut course = self.state.course.lock();
        let (time, change) = course.follow(reading);
        self.store_lead(&course);
        if let Some(ClockChange::SetBack(by)) = change {
            *self.state.set_back.lock() = Some((by, reading.time, reading.received_at));
        }
        // The machine's own clock is more precise here, because the reading is older by part of its round
        // trip.
        let machine = Utc::now() + self.set_by();
        let now = time + TimeDelta::from_std(reading.received_at.elapsed()).unwrap_or_default();
        let round_trip = reading.received_at.saturating_duration_since(reading.sent_at);
        let tolerance = MAX_DEVIATION + TimeDelta::from_std(round_trip).unwrap_or_default();
        let is_close = (machine - now).abs() <= tolerance;
        self.state.set_time(if is_close { machine } else { now });
        drop(course);
        (time.trunc_subsecs(6) + self.moved_by(), change)
    }

    fn store_lead(&self, course: &Course) {
        let lead = course.lead().map_or(0, |lead| lead.lead.num_microseconds().unwrap_or_default());
        self.state.lead_microseconds.store(lead, Ordering::SeqCst);
    }

    /// Returns the lead of the database's clock, or `None` if it is followed.
    pub fn lead(&self) -> Option<ClockLead> {
        self.state.course.lock().lead()
    }

    /// Returns by how much the database's clock was set back within the last hour, and its time then.
    pub fn recent_set_back(&self) -> Option<(TimeDelta, DateTime<Utc>)> {
        let set_back = *self.state.set_back.lock();
        let recent = set_back.filter(|(_, _, at)| at.elapsed() < SET_BACK_REPORT_TIME);
        recent.map(|(by, time, _)| (by, time))
    }

    /// Completes when this clock shows `time`, also if it was moved there.
    pub async fn sleep_until(&self, time: DateTime<Utc>) {
        loop {
            let mut moved = pin!(self.offsets.moved.notified());
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
pub fn monotonic_now() -> Instant {
    Instant::now()
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
