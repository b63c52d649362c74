//! Points in time: the sequence number of an event, or a time.

use chrono::{DateTime, TimeDelta, Utc};
use platform::refusal::Refusal;
use rules::numbers::Seq;

use super::{History, store};

/// A point in time, as a client gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PointInTime {
    /// Right after the event with this sequence number; 0 is before the first event.
    Seq(Seq),
    /// At this time.
    Time(DateTime<Utc>),
}

impl PointInTime {
    /// The rest of a sentence that says what a value must be.
    pub const REQUIREMENT: &str = "must be an event's number or a time such as 2026-01-31T08:30:00Z";

    /// Parses an event's number, or a time in RFC 3339. `None` if it is neither.
    pub fn parse(text: &str) -> Option<Self> {
        if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
            // Only digits, so parsing fails only if the number is too large, which is in the future.
            return Some(Self::Seq(text.parse().map_or(Seq::MAX, Seq)));
        }
        // An unencoded plus of a time zone arrives as a space.
        let time = DateTime::parse_from_rfc3339(&text.replace(' ', "+")).ok()?;
        Some(Self::Time(time.with_timezone(&Utc)))
    }

    /// Parses the value of a field, as [`parse`](Self::parse) does.
    ///
    /// # Errors
    /// `Input` if it is neither.
    pub fn parse_field(name: &'static str, text: &str) -> Result<Self, Refusal> {
        let detail = || format!("{name} {}.", Self::REQUIREMENT);
        Self::parse(text).ok_or_else(|| Refusal::invalid(name, detail()))
    }

    /// True if the result can never change. The result for a time may still change while events of that time
    /// are committed.
    pub fn is_immutable(self) -> bool {
        matches!(self, Self::Seq(_))
    }
}

impl History {
    /// Returns the newest event at a point in time, [`Seq::ZERO`] if there was none yet, or `None` if it is
    /// in the future.
    pub async fn last_event_at(&self, point: PointInTime) -> Result<Option<Seq>, Refusal> {
        match point {
            PointInTime::Seq(seq) => Ok(self.has_event(seq).await?.then_some(seq)),
            PointInTime::Time(time) if time > self.state.clock.now() => Ok(None),
            PointInTime::Time(time) => self.last_event_until(time).await.map(Some),
        }
    }

    /// Returns the first event from a point in time on: the next sequence number if there is none yet, or
    /// `None` if it is in the future.
    pub async fn first_event_from(&self, point: PointInTime) -> Result<Option<Seq>, Refusal> {
        match point {
            PointInTime::Seq(seq) => Ok(self.has_event(seq).await?.then_some(seq.max(Seq::ZERO.next()))),
            PointInTime::Time(time) if time > self.state.clock.now() => Ok(None),
            // Times are stored in microseconds.
            PointInTime::Time(time) => {
                Ok(Some(self.last_event_until(time - TimeDelta::microseconds(1)).await?.next()))
            }
        }
    }

    /// Returns the sequence number of the newest event that this instance knows.
    pub fn head(&self) -> Seq {
        self.state.read_world(|world| world.head)
    }

    /// Returns the newest event up to a time, or [`Seq::ZERO`] if there was none yet.
    pub async fn last_event_until(&self, time: DateTime<Utc>) -> Result<Seq, Refusal> {
        Ok(store::last_events_until(&self.state.pool, &[time], &[Seq::ZERO], &[self.head()])
            .await?
            .pop()
            .unwrap_or(Seq::ZERO))
    }

    /// Returns true if the log has an event with this number. Another instance may be ahead of this one.
    async fn has_event(&self, seq: Seq) -> Result<bool, Refusal> {
        if seq > self.head() {
            Box::pin(self.state.log.refresh()).await?;
        }
        Ok(seq <= self.head())
    }
}

/// Returns the boundaries between this many equal steps from one time to another, without both ends.
pub(super) fn times_between(from: DateTime<Utc>, to: DateTime<Utc>, steps: usize) -> Vec<DateTime<Utc>> {
    let total_microseconds = i128::from((to - from).num_microseconds().unwrap_or(i64::MAX));
    let offset_of =
        |step: usize| TimeDelta::microseconds((total_microseconds * step as i128 / steps as i128) as i64);
    (1..steps).map(|step| from + offset_of(step)).collect()
}
