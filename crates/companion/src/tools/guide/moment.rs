//! Moments as the page and models write them: the number of an event, or a time.

use std::fmt;

use caraplace_canvas::history::point_in_time::PointInTime;
use platform::refusal::Refusal;
use serde::Deserializer;
use serde::de::{Error, Visitor};

/// Reads an optional moment, which may be written as a number or as text.
pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    deserializer.deserialize_any(MomentText)
}

/// The expected forms of a moment.
struct MomentText;

impl Visitor<'_> for MomentText {
    type Value = Option<String>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a string")
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Self::Value, E> {
        Ok(Some(number.to_string()))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Some(text.to_owned()))
    }
}

/// Parses a moment: the number of an event, a time in RFC 3339, or a time as results of tools write it.
///
/// # Errors
/// `Input` if it is neither.
pub(super) fn parse(name: &'static str, text: &str) -> Result<PointInTime, Refusal> {
    let shown_time = text.strip_suffix(" UTC").map(|time| format!("{}Z", time.replacen(' ', "T", 1)));
    PointInTime::parse_field(name, shown_time.as_deref().unwrap_or(text))
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use rules::numbers::Seq;
    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize)]
    struct Body {
        #[serde(default, deserialize_with = "deserialize")]
        at: Option<String>,
    }

    fn read(json: &str) -> Option<String> {
        serde_json::from_str::<Body>(json).unwrap().at
    }

    #[test]
    fn a_moment_is_a_number_or_a_text() {
        assert_eq!(read(r#"{"at": 12}"#).as_deref(), Some("12"));
        assert_eq!(read(r#"{"at": "12"}"#).as_deref(), Some("12"));
        assert_eq!((read(r#"{"at": null}"#), read("{}")), (None, None));
        for wrong in [r#"{"at": -1}"#, r#"{"at": true}"#, r#"{"at": []}"#] {
            assert!(serde_json::from_str::<Body>(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn only_numbers_and_times_are_moments() {
        assert_eq!(parse("at", "12").unwrap(), PointInTime::Seq(Seq(12)));
        assert_eq!(parse("at", "99999999999999999999").unwrap(), PointInTime::Seq(Seq::MAX));
        let time = DateTime::from_timestamp(1_769_848_200, 0).unwrap();
        for text in ["2026-01-31T10:30:00+02:00", "2026-01-31 08:30:00 UTC"] {
            assert_eq!(parse("at", text).unwrap(), PointInTime::Time(time));
        }
        for wrong in ["", "-1", "yesterday", "2026-01-31"] {
            assert!(parse("at", wrong).is_err(), "{wrong}");
        }
    }
}
