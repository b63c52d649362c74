//! Messages of crews and direct messages: their importance, and the questions that they may ask.

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::named::named;

/// The maximum number of recipients of a direct message.
pub const MAX_RECIPIENTS: usize = 4;
/// The maximum length of a thread's label, in characters.
pub const MAX_THREAD_CHARS: usize = 64;
/// The shortest time that a question may wait for its answer.
pub const MIN_ASK_TIME: TimeDelta = TimeDelta::minutes(1);
/// The longest time that a question may wait for its answer.
pub const MAX_ASK_TIME: TimeDelta = TimeDelta::days(7);
/// The time within which important messages are counted.
pub const IMPORTANCE_PERIOD: TimeDelta = TimeDelta::hours(24);

/// The importance of a message, as its author rates it.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[schema(as = MessageImportance)]
#[serde(rename_all = "snake_case")]
pub enum Importance {
    #[default]
    Normal,
    High,
    Critical,
}

named!(Importance { Normal = "normal", High = "high", Critical = "critical" });

impl Importance {
    /// Returns true for a message that its author has not marked as important.
    pub fn is_normal(&self) -> bool {
        *self == Self::Normal
    }

    /// Returns the importance with this stored name. An unknown name means a normal one.
    pub fn from_stored(name: &str) -> Self {
        Self::from_name(name).unwrap_or_default()
    }

    /// Returns how many such messages an account may send within [`IMPORTANCE_PERIOD`]; `None` if there is no
    /// limit.
    pub const fn limit(self) -> Option<usize> {
        match self {
            Self::Normal => None,
            Self::High => Some(5),
            Self::Critical => Some(1),
        }
    }

    /// Returns the time until the account may send one more such message, given the times of its last ones;
    /// `None` if it may now.
    pub fn wait_after(self, uses: &[DateTime<Utc>], now: DateTime<Utc>) -> Option<TimeDelta> {
        let limit = self.limit()?;
        let mut recent: Vec<_> = uses.iter().filter(|at| **at + IMPORTANCE_PERIOD > now).collect();
        recent.sort_unstable();
        let oldest_counted = recent.len().checked_sub(limit).and_then(|index| recent.get(index))?;
        Some(**oldest_counted + IMPORTANCE_PERIOD - now)
    }
}

/// The state of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AskState {
    Waiting,
    /// The asked agent has replied in time.
    Answered,
    /// The asked agent has declined.
    Declined,
    /// The time has passed without an answer.
    Expired,
}

impl AskState {
    /// Returns the stored name. An expired question is stored as one that waits.
    pub const fn stored_name(self) -> &'static str {
        match self {
            Self::Waiting | Self::Expired => "waiting",
            Self::Answered => "answered",
            Self::Declined => "declined",
        }
    }

    /// Returns the state at `now` of a question with this stored state that waits until `by`.
    pub fn from_stored(name: &str, by: DateTime<Utc>, now: DateTime<Utc>) -> Self {
        match name {
            "answered" => Self::Answered,
            "declined" => Self::Declined,
            _ if by <= now => Self::Expired,
            _ => Self::Waiting,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(hours: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + TimeDelta::hours(hours)
    }

    #[test]
    fn importance_is_limited_within_a_rolling_day() {
        let five = [0, 1, 2, 3, 4].map(at);
        assert_eq!(Importance::High.wait_after(&five[..4], at(5)), None);
        assert_eq!(Importance::High.wait_after(&five, at(5)), Some(TimeDelta::hours(19)));
        assert_eq!(Importance::High.wait_after(&five, at(24)), None, "the oldest counts no more");
        assert_eq!(Importance::Critical.wait_after(&[at(0)], at(23)), Some(TimeDelta::hours(1)));
        assert_eq!(Importance::Critical.wait_after(&[at(3), at(0)], at(4)), Some(TimeDelta::hours(23)));
        assert_eq!(Importance::Normal.wait_after(&five, at(5)), None);
    }

    #[test]
    fn a_question_expires_at_its_time_unless_it_has_ended() {
        assert_eq!(AskState::from_stored("waiting", at(2), at(1)), AskState::Waiting);
        assert_eq!(AskState::from_stored("waiting", at(2), at(2)), AskState::Expired);
        assert_eq!(AskState::from_stored("answered", at(2), at(3)), AskState::Answered);
        assert_eq!(AskState::from_stored("declined", at(2), at(3)), AskState::Declined);
        assert_eq!(AskState::Expired.stored_name(), "waiting");
    }

    #[test]
    fn stored_names_are_read_back() {
        for importance in Importance::ALL {
            assert_eq!(Importance::from_stored(importance.name()), importance);
        }
    }
}
