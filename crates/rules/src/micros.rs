//! The format of event times in answers and events: RFC 3339 in UTC with exactly six decimals.
//!
//! The database stores microseconds, so a time of this format is the stored time, and a client can send it
//! back as `since` or `at` without losing or repeating an event. A fixed length also sorts as text.

use chrono::{DateTime, Datelike, Timelike, Utc};
use serde::Serializer;

/// The format, with zeros instead of the digits.
const TEMPLATE: [u8; 27] = *b"0000-00-00T00:00:00.000000Z";
/// The largest number of microseconds within a second. In a leap second, chrono counts on.
const MAX_MICROS: u32 = 999_999;

/// A time as text, without an allocation: an answer to placements has up to 256 times.
struct TimeText([u8; TEMPLATE.len()]);

impl TimeText {
    fn new(time: DateTime<Utc>) -> Self {
        let mut text = TEMPLATE;
        write_digits(&mut text[..4], time.year().unsigned_abs());
        write_digits(&mut text[5..7], time.month());
        write_digits(&mut text[8..10], time.day());
        write_digits(&mut text[11..13], time.hour());
        write_digits(&mut text[14..16], time.minute());
        write_digits(&mut text[17..19], time.second());
        write_digits(&mut text[20..26], time.timestamp_subsec_micros().min(MAX_MICROS));
        Self(text)
    }

    fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

/// Writes the last decimal digits of a number, as many as there is space for.
fn write_digits(text: &mut [u8], number: u32) {
    let mut rest = number;
    for digit in text.iter_mut().rev() {
        *digit = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
}

/// Returns a time such as `2026-01-31T08:30:00.000000Z`.
pub fn to_text(time: DateTime<Utc>) -> String {
    TimeText::new(time).as_str().to_owned()
}

/// Serializes a time: `#[serde(serialize_with = "micros::serialize")]`.
///
/// # Errors
/// Returns the error of the serializer.
pub fn serialize<S: Serializer>(time: &DateTime<Utc>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(TimeText::new(*time).as_str())
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
        Some(time) => serializer.serialize_some(TimeText::new(*time).as_str()),
        None => serializer.serialize_none(),
    }
}

#[cfg(test)]
mod tests {
    use chrono::{SecondsFormat, TimeDelta};
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
        fn a_time_is_written_as_chrono_writes_it(
            seconds in -62_135_596_800_i64..253_402_300_800,
            micros in 0_u32..1_000_000,
        ) {
            let time = DateTime::from_timestamp(seconds, micros * 1_000).unwrap();
            prop_assert_eq!(to_text(time), time.to_rfc3339_opts(SecondsFormat::Micros, true));
        }

        #[test]
        fn stored_times_are_read_back_exactly(micros in 0_i64..4_102_444_800_000_000) {
            let time = DateTime::from_timestamp_micros(micros).unwrap();
            let text = to_text(time);
            prop_assert_eq!(text.len(), "2026-01-31T08:30:00.000000Z".len());
            prop_assert_eq!(DateTime::parse_from_rfc3339(&text).unwrap(), time);
        }
    }
}
