//! Moments: an event's number, or a time.

use chrono::{DateTime, TimeDelta, Utc};

use super::{Past, store};
use crate::refusal::Refusal;

/// A moment of the log as someone names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// Right after the event with this number; 0 is before anything.
    Number(i64),
    Time(DateTime<Utc>),
}

impl Moment {
    /// Whether what is said of it stays true for ever: until when events have a time is still being decided.
    pub fn is_fixed(self) -> bool {
        matches!(self, Self::Number(_))
    }
}

impl Past {
    /// The newest event at a moment, 0 where there was none yet; nothing for a moment that is still to come.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn newest_at(&self, moment: Moment) -> Result<Option<i64>, Refusal> {
        match moment {
            Moment::Number(number) => Ok(self.is_given(number).await?.then_some(number)),
            Moment::Time(time) if time > self.state.clock.now() => Ok(None),
            Moment::Time(time) => self.newest_until(time).await.map(Some),
        }
    }

    /// The oldest event that a stretch from this moment on holds: the number after the head where there is none yet.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn oldest_from(&self, moment: Moment) -> Result<Option<i64>, Refusal> {
        match moment {
            Moment::Number(number) => Ok(self.is_given(number).await?.then_some(number.max(1))),
            Moment::Time(time) if time > self.state.clock.now() => Ok(None),
            // Times are stored to the microsecond.
            Moment::Time(time) => Ok(Some(self.newest_until(time - TimeDelta::microseconds(1)).await? + 1)),
        }
    }

    /// The number of the newest event that this instance knows.
    pub fn head(&self) -> i64 {
        self.state.snapshot(|world| world.head)
    }

    pub(super) async fn newest_until(&self, time: DateTime<Utc>) -> Result<i64, Refusal> {
        Ok(store::newest_until(&self.state.pool, &[time], &[0], &[self.head()]).await?.pop().unwrap_or(0))
    }

    /// Another instance may be ahead of this one.
    async fn is_given(&self, number: i64) -> Result<bool, Refusal> {
        if number > self.head() {
            Box::pin(self.state.log.refresh()).await?;
        }
        Ok(number <= self.head())
    }
}

/// Returns the boundaries between so many equal steps from one time to another, without both ends.
pub(super) fn times_between(from: DateTime<Utc>, to: DateTime<Utc>, steps: usize) -> Vec<DateTime<Utc>> {
    let whole = i128::from((to - from).num_microseconds().unwrap_or(i64::MAX));
    let since = |step: usize| TimeDelta::microseconds((whole * step as i128 / steps as i128) as i64);
    (1..steps).map(|step| from + since(step)).collect()
}
