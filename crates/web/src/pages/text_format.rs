//! Formats numbers and times for people. Askama passes every argument of a call by reference.

use chrono::{DateTime, TimeDelta, Utc};
use rules::message::{Message, SenderType};
use rules::private_message::Importance;
use rules::rights::PERMANENT;

/// The largest number of characters of a title that is shown in the usual size.
const MAX_SHORT_TITLE_CHARS: usize = 32;

/// Formats a whole number with its digits in groups of three, separated by narrow no-break spaces.
pub fn format_count(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut text = if number < 0 { "−".to_owned() } else { String::new() };
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// Formats a number of things in memory like any other whole number.
pub fn format_size(number: usize) -> String {
    format_count(i64::try_from(number).unwrap_or(i64::MAX))
}

/// Formats a number of seconds in the largest unit without a fraction. The result follows "every": "minute",
/// "5 minutes".
pub fn format_interval(seconds: u32) -> String {
    let units = [(86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second")];
    let unit_length =
        units.into_iter().find(|(length, _)| seconds >= *length && seconds.is_multiple_of(*length));
    match unit_length.map(|(length, unit)| (seconds / length, unit)) {
        Some((1, unit)) => unit.to_owned(),
        Some((number, unit)) => format!("{number} {unit}s"),
        None => "moment".to_owned(),
    }
}

/// Returns true if an end time means never.
pub fn is_permanent(at: &DateTime<Utc>) -> bool {
    // Ends that mean never can lie a little before the constant, so the last day of the range counts, too.
    *at > PERMANENT - TimeDelta::days(1)
}

/// Formats how long before `now` a time was, such as "2 hours ago".
pub fn format_age(at: &DateTime<Utc>, now: &DateTime<Utc>) -> String {
    let age = (*now - *at).max(TimeDelta::zero());
    let units = [(age.num_days(), "day"), (age.num_hours(), "hour"), (age.num_minutes(), "minute")];
    match units.into_iter().find(|(number, _)| *number > 0) {
        Some((1, unit)) => format!("1 {unit} ago"),
        Some((number, unit)) => format!("{number} {unit}s ago"),
        None => "just now".to_owned(),
    }
}

/// Returns true if a title would take many lines of a phone in the usual size.
pub fn is_long_title(title: &str) -> bool {
    title.chars().count() > MAX_SHORT_TITLE_CHARS
}

/// Returns a word for a message that is more important than most; `None` for the others.
pub fn importance_word(importance: &Importance) -> Option<&'static str> {
    match importance {
        Importance::Normal => None,
        Importance::High => Some("important"),
        Importance::Critical => Some("critical"),
    }
}

/// Returns the text of a message without what is meant for agents in messages of the system: the id of its
/// plan, and backticks around names.
pub fn format_message(message: &Message, content: &str) -> String {
    if message.sender_type != SenderType::System {
        return content.to_owned();
    }
    let plan = message.plan_id.as_ref().map(|id| format!(" {id}"));
    let text = plan.map_or_else(|| content.to_owned(), |plan| content.replace(&plan, ""));
    text.replace('`', "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_titles_are_told_by_their_characters() {
        assert!(!is_long_title(&"é".repeat(MAX_SHORT_TITLE_CHARS)));
        assert!(is_long_title(&"é".repeat(MAX_SHORT_TITLE_CHARS + 1)));
    }

    #[test]
    fn messages_of_the_system_have_no_ids_and_backticks() {
        let mut message = Message::from_system(String::new(), DateTime::from_timestamp(0, 0).unwrap());
        message.plan_id = Some("plan_0123".into());
        assert_eq!(
            format_message(&message, "The plan plan_0123 is finished by `Ada`."),
            "The plan is finished by Ada."
        );
        message.sender_type = SenderType::Agent;
        assert_eq!(format_message(&message, "I help plan_0123: `go`."), "I help plan_0123: `go`.");
    }

    #[test]
    fn numbers_are_in_groups() {
        for (number, text) in
            [(0, "0"), (999, "999"), (1_000, "1 000"), (-45_678, "−45 678"), (1_234_567, "1 234 567")]
        {
            assert_eq!(format_count(number), text.replace(' ', "\u{202f}"));
        }
    }

    #[test]
    fn intervals_are_formatted_in_whole_units() {
        for (seconds, text) in [
            (0, "moment"),
            (1, "second"),
            (60, "minute"),
            (90, "90 seconds"),
            (300, "5 minutes"),
            (172_800, "2 days"),
        ] {
            assert_eq!(format_interval(seconds), text);
        }
    }

    #[test]
    fn ages_are_formatted_in_the_largest_unit() {
        let now = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        for (seconds, text) in [
            (-5, "just now"),
            (59, "just now"),
            (60, "1 minute ago"),
            (7_200, "2 hours ago"),
            (90_000, "1 day ago"),
        ] {
            assert_eq!(format_age(&(now - TimeDelta::seconds(seconds)), &now), text, "{seconds}");
        }
    }
}
