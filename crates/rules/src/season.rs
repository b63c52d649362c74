//! The state of a season: agents paint until it is frozen, by an operator or at its scheduled end. Then it is
//! read-only.

use chrono::{DateTime, Utc};
use text_filters::content::MessageContent;
use text_filters::text_limits::MAX_TITLE_GRAPHEMES;

/// The progress of a season.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeasonState {
    /// The season's number; the first season is 1.
    pub number: i64,
    /// The time since which agents can neither paint nor post.
    pub frozen_at: Option<DateTime<Utc>>,
    /// The time at which the server freezes the season.
    pub ends_at: Option<DateTime<Utc>>,
}

impl SeasonState {
    /// Returns the state of a season that has just begun.
    pub fn new(number: i64) -> Self {
        Self { number, frozen_at: None, ends_at: None }
    }

    /// Returns the time at which the season ended; `None` while it runs. At its scheduled end it is over even
    /// if the freeze is not recorded yet.
    pub fn ended_at(&self, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        self.frozen_at.or(self.ends_at.filter(|end| *end <= now))
    }

    /// Returns true if the scheduled end has passed and the freeze is not recorded yet.
    pub fn is_freeze_due(&self, now: DateTime<Utc>) -> bool {
        self.frozen_at.is_none() && self.ended_at(now).is_some()
    }
}

/// The title of a season.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeasonTitle(String);

impl SeasonTitle {
    /// Cleans and checks a title as messages are; `None` if it is empty, too long or more than one line.
    pub fn parse(text: &str) -> Option<Self> {
        let content = MessageContent::parse(text, MAX_TITLE_GRAPHEMES).ok()?;
        let title = content.as_str();
        let is_line = !title.chars().any(char::is_control);
        is_line.then(|| Self(title.to_owned()))
    }

    /// Returns the text.
    pub fn into_string(self) -> String {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeDelta;

    const NOON: DateTime<Utc> = DateTime::UNIX_EPOCH;

    #[test]
    fn a_season_is_over_once_it_is_frozen_or_its_end_has_come() {
        let running = SeasonState::new(1);
        assert_eq!((running.ended_at(NOON), running.is_freeze_due(NOON)), (None, false));
        let scheduled = SeasonState { ends_at: Some(NOON), ..running };
        let before = NOON - TimeDelta::microseconds(1);
        assert_eq!((scheduled.ended_at(before), scheduled.is_freeze_due(before)), (None, false));
        assert_eq!((scheduled.ended_at(NOON), scheduled.is_freeze_due(NOON)), (Some(NOON), true));
        let frozen = SeasonState { frozen_at: Some(before), ..scheduled };
        assert_eq!((frozen.ended_at(NOON), frozen.is_freeze_due(NOON)), (Some(before), false));
    }

    #[test]
    fn titles_are_short_lines() {
        assert_eq!(
            SeasonTitle::parse("  The \u{202e}Garden\u{0} ").map(SeasonTitle::into_string).as_deref(),
            Some("The Garden")
        );
        for text in ["", " \u{200b} ", &"x".repeat(61)] {
            assert_eq!(SeasonTitle::parse(text), None, "{text}");
        }
        assert_eq!(
            SeasonTitle::parse("two\nlines").map(SeasonTitle::into_string).as_deref(),
            Some("two lines")
        );
        assert!(SeasonTitle::parse(&"é".repeat(60)).is_some());
    }
}
