//! The course of time: tells a database's clock that was set from one that runs.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};

use super::boot_time::BootTime;

/// The time by which the database's clock may deviate from the time since the machine was booted before it
/// counts as set.
pub const MAX_DEVIATION: TimeDelta = TimeDelta::seconds(1);
/// The time after which a clock that was set forward is believed.
pub const HOLD_TIME: TimeDelta = TimeDelta::hours(1);
/// The age from which an anchor is replaced, so that it follows the small corrections of the database's
/// clock.
const ANCHOR_MAX_AGE: Duration = Duration::from_mins(1);
/// The longest round trip of a reading that may become an anchor.
const ANCHOR_MAX_ROUND_TRIP: Duration = Duration::from_millis(100);

/// A reading of the database's clock, and the moments between which it was taken.
#[derive(Clone, Copy, Debug)]
pub struct ClockReading {
    pub time: DateTime<Utc>,
    pub sent_at: BootTime,
    pub received_at: BootTime,
}

/// A step of the database's clock, or of what is believed of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockChange {
    /// The clock was set forward by this much. It is not followed.
    SetForward(TimeDelta),
    /// The clock was set back by this much. It is followed, because a clock that is ahead is wrong.
    SetBack(TimeDelta),
    /// The clock is back where it was before it was set.
    Corrected,
    /// The clock has been ahead by this much for so long that it is followed now.
    Accepted(TimeDelta),
}

/// The time by which the database's clock is ahead of the time that is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockLead {
    pub lead: TimeDelta,
    /// The time at which the clock was set forward, by that clock.
    pub since: DateTime<Utc>,
}

/// The course that time takes, given readings of a clock that somebody may set.
#[derive(Debug, Default)]
pub struct Course {
    /// A believed reading; `None` before the first.
    anchor: Option<ClockReading>,
    /// The anchor from before the clock was set back, in case that was the mistake.
    anchor_before_step: Option<ClockReading>,
    lead: Option<ClockLead>,
}

impl Course {
    /// Returns the present lead of the database's clock.
    pub fn lead(&self) -> Option<ClockLead> {
        self.lead
    }

    /// Continues the course of an earlier process, unless the clock was corrected since, or is believed by
    /// now.
    pub fn resume(&mut self, reading: ClockReading, stored: Option<ClockLead>) {
        if self.anchor.is_none() {
            self.lead = stored.filter(|lead| (lead.since..lead.since + HOLD_TIME).contains(&reading.time));
            self.anchor = Some(ClockReading { time: reading.time - self.lead_time(), ..reading });
        }
    }

    /// Returns the time to use at the end of a reading, and what has changed.
    pub fn follow(&mut self, reading: ClockReading) -> (DateTime<Utc>, Option<ClockChange>) {
        let raw = reading.time;
        let Some(anchor) = self.anchor else {
            self.anchor = Some(reading);
            return (raw, None);
        };
        if let Some(lead) = self.lead.filter(|lead| raw >= lead.since + HOLD_TIME) {
            return (self.believe(reading), Some(ClockChange::Accepted(lead.lead)));
        }
        let time = raw - self.lead_time();
        let (earliest, latest) = anchor.expected(reading);
        if time > latest + MAX_DEVIATION {
            self.hold_back(reading, time - latest)
        } else if time < earliest - MAX_DEVIATION {
            self.follow_back(reading, earliest)
        } else {
            self.renew_anchor(anchor, ClockReading { time, ..reading });
            (time, None)
        }
    }

    fn lead_time(&self) -> TimeDelta {
        self.lead.map_or(TimeDelta::zero(), |lead| lead.lead)
    }

    /// The clock is ahead of the course.
    fn hold_back(&mut self, reading: ClockReading, ahead: TimeDelta) -> (DateTime<Utc>, Option<ClockChange>) {
        let returns = |before: ClockReading| {
            let (earliest, latest) = before.expected(reading);
            (earliest - MAX_DEVIATION..=latest + MAX_DEVIATION).contains(&reading.time)
        };
        if self.anchor_before_step.is_some_and(returns) {
            return (self.believe(reading), Some(ClockChange::Corrected));
        }
        let since = self.lead.map_or(reading.time, |lead| lead.since);
        self.lead = Some(ClockLead { lead: self.lead_time() + ahead, since });
        (reading.time - self.lead_time(), Some(ClockChange::SetForward(ahead)))
    }

    /// The clock, without its lead, is behind the course.
    fn follow_back(
        &mut self,
        reading: ClockReading,
        earliest: DateTime<Utc>,
    ) -> (DateTime<Utc>, Option<ClockChange>) {
        let behind = earliest - reading.time;
        let is_held = self.lead.is_some();
        if is_held && behind < -MAX_DEVIATION {
            // It was corrected in part, and is still ahead.
            let since = self.lead.map_or(reading.time, |lead| lead.since.min(reading.time));
            self.lead = Some(ClockLead { lead: -behind, since });
            return (earliest, Some(ClockChange::SetForward(-behind)));
        }
        if is_held && behind <= MAX_DEVIATION {
            return (self.believe(reading), Some(ClockChange::Corrected));
        }
        let before = self.anchor;
        let time = self.believe(reading);
        self.anchor_before_step = before;
        (time, Some(ClockChange::SetBack(behind)))
    }

    /// Takes a reading as it is.
    fn believe(&mut self, reading: ClockReading) -> DateTime<Utc> {
        *self = Self { anchor: Some(reading), ..Self::default() };
        reading.time
    }

    fn renew_anchor(&mut self, anchor: ClockReading, reading: ClockReading) {
        let is_old = reading.received_at.saturating_duration_since(anchor.received_at) >= ANCHOR_MAX_AGE;
        if is_old && reading.received_at.saturating_duration_since(reading.sent_at) <= ANCHOR_MAX_ROUND_TRIP {
            self.anchor = Some(reading);
        }
    }
}

impl ClockReading {
    /// Returns the earliest and the latest time that another reading can show if the clock only runs.
    fn expected(self, other: Self) -> (DateTime<Utc>, DateTime<Utc>) {
        let after = |start: BootTime, end: BootTime| {
            self.time + TimeDelta::from_std(end.saturating_duration_since(start)).unwrap_or(TimeDelta::MAX)
        };
        (after(self.received_at, other.sent_at), after(self.sent_at, other.received_at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: DateTime<Utc> = DateTime::UNIX_EPOCH;
    const HOUR: i64 = 3_600;

    /// A clock that is set while the boot clock runs.
    struct SetClock {
        started: BootTime,
        set_by: i64,
        course: Course,
    }

    impl SetClock {
        fn new() -> Self {
            let started = BootTime::now();
            let mut clock = Self { started, set_by: 0, course: Course::default() };
            assert_eq!(clock.follow(0), (0, None));
            clock
        }

        fn reading(&self, after: u64, round_trip: u64) -> ClockReading {
            let sent_at = self.started + Duration::from_secs(after);
            let time = START + TimeDelta::seconds(after.cast_signed() + self.set_by);
            ClockReading { time, sent_at, received_at: sent_at + Duration::from_secs(round_trip) }
        }

        /// Reads the clock this many seconds after the start.
        fn follow(&mut self, after: u64) -> (i64, Option<ClockChange>) {
            let (time, change) = self.course.follow(self.reading(after, 0));
            ((time - START).num_seconds(), change)
        }
    }

    fn hour() -> TimeDelta {
        TimeDelta::hours(1)
    }

    #[test]
    fn a_running_clock_is_followed() {
        let mut clock = SetClock::new();
        for second in 1..300_u64 {
            clock.set_by = (second % 2).cast_signed();
            assert_eq!(clock.follow(second), (second.cast_signed() + clock.set_by, None));
        }
    }

    #[test]
    fn a_clock_that_was_set_forward_is_held_back_until_it_is_corrected() {
        let mut clock = SetClock::new();
        clock.set_by = HOUR;
        assert_eq!(clock.follow(10), (10, Some(ClockChange::SetForward(hour()))));
        assert_eq!(clock.follow(20), (20, None), "once");
        assert_eq!(clock.course.lead().map(|lead| lead.lead), Some(hour()));
        clock.set_by = 0;
        assert_eq!(clock.follow(30), (30, Some(ClockChange::Corrected)));
        assert_eq!((clock.follow(40), clock.course.lead()), ((40, None), None));
    }

    #[test]
    fn a_clock_that_stays_ahead_is_believed_after_an_hour() {
        let mut clock = SetClock::new();
        clock.set_by = 600;
        assert!(clock.follow(10).1.is_some());
        assert_eq!(clock.follow(3_600), (3_600, None));
        let accepted = Some(ClockChange::Accepted(TimeDelta::seconds(600)));
        assert_eq!(clock.follow(3_610), (4_210, accepted));
        clock.set_by = 0;
        let (time, change) = clock.follow(3_620);
        assert_eq!((time, change), (3_620, Some(ClockChange::SetBack(TimeDelta::seconds(600)))));
    }

    #[test]
    fn a_clock_that_was_set_back_is_followed_and_may_return() {
        let mut clock = SetClock::new();
        clock.set_by = -HOUR;
        assert_eq!(clock.follow(10), (10 - HOUR, Some(ClockChange::SetBack(hour()))));
        assert_eq!(clock.follow(20), (20 - HOUR, None));
        clock.set_by = 0;
        assert_eq!(clock.follow(30), (30, Some(ClockChange::Corrected)));
    }

    #[test]
    fn a_partial_correction_leaves_the_rest_of_the_lead() {
        let mut clock = SetClock::new();
        clock.set_by = 2 * HOUR;
        assert!(clock.follow(10).1.is_some());
        clock.set_by = HOUR;
        assert_eq!(clock.follow(20), (20, Some(ClockChange::SetForward(hour()))));
        clock.set_by = -60;
        assert_eq!(clock.follow(30), (-30, Some(ClockChange::SetBack(TimeDelta::seconds(60)))));
    }

    #[test]
    fn a_slow_answer_is_no_step() {
        let mut clock = SetClock::new();
        for (after, round_trip) in [(10, 30), (50, 0), (100, 5), (200, 0)] {
            let (_, change) = clock.course.follow(clock.reading(after, round_trip));
            assert_eq!(change, None, "after {after} s");
        }
    }

    #[test]
    fn a_restart_keeps_the_lead_unless_the_clock_was_corrected() {
        let mut clock = SetClock::new();
        clock.set_by = HOUR;
        clock.follow(10);
        let stored = clock.course.lead();
        clock.course = Course::default();
        clock.course.resume(clock.reading(60, 0), stored);
        assert_eq!(clock.follow(60), (60, None));
        for set_by in [0, 2 * HOUR] {
            clock.set_by = set_by;
            clock.course = Course::default();
            clock.course.resume(clock.reading(70, 0), stored);
            assert_eq!(clock.follow(70), (70 + set_by, None));
        }
    }
}
