//! The format of event times in answers and events: RFC 3339 in UTC with exactly six decimals.
//!
//! The database stores microseconds, so a time of this format is the stored time, and a client can send it back
//! as `since` or `at` without losing or repeating an event. A fixed length also sorts as text.

use chrono::{DateTime, SecondsFormat, Utc};
use serde::Serializer;

/// Returns a time such as `2026-01-31T08:30:00.000000Z`.
pub fn to_text(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Micros, true)
}

/// Serializes a time: `#[serde(serialize_with = "micros::serialize")]`.
///
/// # Errors
/// Returns the error of the serializer.
pub fn serialize<S: Serializer>(time: &DateTime<Utc>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&to_text(*time))
}

/// Serializes an optional time; null if it is `None`.
///
/// # Errors
/// Returns the error of the serializer.
#[allow(clippy::ref_option, reason = "serde passes a reference to the field")]
pub fn serialize_optional<S: Serializer>(
    time: &Option<DateTime<Utc>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match time {
        Some(time) => serializer.serialize_some(&to_text(*time)),
        None => serializer.serialize_none(),
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn whole_seconds_have_six_decimals() {
        assert_eq!(to_text(DateTime::UNIX_EPOCH), "1970-01-01T00:00:00.000000Z");
        let later = DateTime::UNIX_EPOCH + TimeDelta::milliseconds(1_500);
        assert_eq!(to_text(later), "1970-01-01T00:00:01.500000Z");
    }

    proptest! {
        #[test]
        fn stored_times_are_read_back_exactly(micros in 0_i64..4_102_444_800_000_000) {
            let time = DateTime::from_timestamp_micros(micros).unwrap();
            let text = to_text(time);
            prop_assert_eq!(text.len(), "2026-01-31T08:30:00.000000Z".len());
            prop_assert_eq!(DateTime::parse_from_rfc3339(&text).unwrap(), time);
        }
    }
}
