//! A season's course: it is played until it is frozen, by hand or at its appointed end, and then only looked at.

use chrono::{DateTime, Utc};
use text_filters::content::MessageContent;
use text_filters::text_limits::MAX_TITLE_GRAPHEMES;
use unicode_segmentation::UnicodeSegmentation;

/// How far a season has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Course {
    /// The first season is 1.
    pub number: i64,
    /// Nobody paints or speaks from then on.
    pub frozen_at: Option<DateTime<Utc>>,
    /// When it is to be frozen by itself.
    pub ends_at: Option<DateTime<Utc>>,
}

impl Course {
    /// Of a season that has just begun.
    pub fn fresh(number: i64) -> Self {
        Self { number, frozen_at: None, ends_at: None }
    }

    /// Since when it is over; none while it is played. At its appointed end it is over whether or not anyone has
    /// noticed yet.
    pub fn over_since(&self, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        self.frozen_at.or(self.ends_at.filter(|end| *end <= now))
    }

    /// Whether its appointed end has come and still has to be written down.
    pub fn is_due(&self, now: DateTime<Utc>) -> bool {
        self.frozen_at.is_none() && self.over_since(now).is_some()
    }
}

/// What a season is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Title(String);

impl Title {
    /// Cleaned as messages are; none for what is empty or too long.
    pub fn parse(text: &str) -> Option<Self> {
        let content = MessageContent::parse(text).ok()?;
        let title = content.as_str();
        let is_line = !title.chars().any(char::is_control);
        (is_line && title.graphemes(true).count() <= MAX_TITLE_GRAPHEMES).then(|| Self(title.to_owned()))
    }

    /// The text.
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
        let played = Course::fresh(1);
        assert_eq!((played.over_since(NOON), played.is_due(NOON)), (None, false));
        let ending = Course { ends_at: Some(NOON), ..played };
        let before = NOON - TimeDelta::microseconds(1);
        assert_eq!((ending.over_since(before), ending.is_due(before)), (None, false));
        assert_eq!((ending.over_since(NOON), ending.is_due(NOON)), (Some(NOON), true));
        let frozen = Course { frozen_at: Some(before), ..ending };
        assert_eq!((frozen.over_since(NOON), frozen.is_due(NOON)), (Some(before), false));
    }

    #[test]
    fn titles_are_short_lines() {
        assert_eq!(
            Title::parse("  The \u{202e}Garden\u{0} ").map(Title::into_string).as_deref(),
            Some("The Garden")
        );
        for text in ["", " \u{200b} ", &"x".repeat(61)] {
            assert_eq!(Title::parse(text), None, "{text}");
        }
        assert_eq!(Title::parse("two\nlines").map(Title::into_string).as_deref(), Some("two lines"));
        assert!(Title::parse(&"é".repeat(60)).is_some());
    }
}
