//! The parser's error messages as sentences for senders who do not know the parser.

use serde_json::error::Category;

/// The phrase for a time in a body.
const TIME: &str = "a time such as 2026-01-31T08:30:00Z";
/// The messages of chrono about a text that is no time.
const TIME_ERRORS: [&str; 6] = [
    "input is out of range",
    "no possible date and time matching input",
    "input is not enough for unique date and time",
    "input contains invalid characters",
    "premature end of input",
    "trailing input",
];

/// Returns the sentence for JSON with a syntax error, with its place.
pub(super) fn syntax_sentence(error: &serde_json::Error) -> String {
    let place = format!("line {}, column {}", error.line(), error.column());
    if error.classify() == Category::Eof {
        return format!("The JSON ends before it is complete, at {place}.");
    }
    let message = error.to_string();
    let reason = match without_place(&message) {
        "expected value" => "a value is missing or not in double quotes",
        "key must be a string" => "a name is not in double quotes, or a comma follows the last value",
        "trailing characters" => "text follows after the end",
        "trailing comma" => "a comma follows the last value",
        "recursion limit exceeded" => "it is nested too deeply",
        other if other.starts_with("control character") => {
            "a text has a line break or another control character"
        }
        other => other,
    };
    format!("This is not JSON at {place}: {reason}.")
}

/// Returns the sentence for a field that the parser refuses. The refusal itself names the field.
pub(super) fn to_sentence(message: &str) -> String {
    let message = without_place(message);
    if let Some(name) = message.strip_prefix("duplicate field ") {
        return format!("The field {name} is there twice, perhaps under another name: send it once.");
    }
    if TIME_ERRORS.contains(&message) {
        return format!("This must be {TIME}.");
    }
    let wrong_value = message.strip_prefix("invalid type: ").or(message.strip_prefix("invalid value: "));
    if let Some((found, expected)) = wrong_value.and_then(|text| text.rsplit_once(", expected ")) {
        return format!("This must be {}, not {}.", describe_expected(expected), describe_found(found));
    }
    let mut chars = message.chars();
    let first = chars.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", chars.as_str())
}

/// Returns a message without the line and column at its end.
fn without_place(message: &str) -> &str {
    message.rsplit_once(" at line ").map_or(message, |(text, _)| text)
}

fn describe_expected(expected: &str) -> &str {
    match expected {
        "i64" | "i32" | "i16" | "i8" => "a whole number",
        "u64" | "u32" | "u16" | "u8" | "usize" => "a whole number that is not negative",
        "f64" | "f32" => "a number",
        "a boolean" => "true or false",
        "a sequence" => "an array",
        "a map" => "an object",
        "an RFC 3339 formatted date and time string" => TIME,
        expected if expected.starts_with("struct ") => "an object",
        expected => expected,
    }
}

fn describe_found(found: &str) -> String {
    match found.split_once(' ') {
        Some(("string", text)) => format!("the text {text}"),
        Some(("floating", number)) => number.replacen("point", "the number", 1),
        Some(("integer", number)) => format!("the number {number}"),
        Some(("boolean", value)) => value.to_owned(),
        _ => match found {
            "sequence" => "an array".to_owned(),
            "map" => "an object".to_owned(),
            found => found.to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, Utc};
    use serde::Deserialize;
    use serde_json::Value;

    use super::*;
    use crate::input::json::read;

    /// A body with fields of several types.
    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only parsed")]
    struct Body {
        x: i64,
        reason: Option<String>,
        #[serde(default)]
        colors: Vec<u8>,
        #[serde(default)]
        dry_run: bool,
        until: Option<DateTime<Utc>>,
    }

    #[test]
    fn refused_fields_are_explained_without_words_of_the_parser() {
        for (body, sentence) in [
            (r#"{"x": "5"}"#, "This must be a whole number, not the text \"5\"."),
            (r#"{"x": 1.5}"#, "This must be a whole number, not the number `1.5`."),
            (r#"{"x": null}"#, "This must be a whole number, not null."),
            (r#"{"x": [1]}"#, "This must be a whole number, not an array."),
            (r#"{"x": 1, "colors": 7}"#, "This must be an array, not the number `7`."),
            (
                r#"{"x": 1, "colors": [-1]}"#,
                "This must be a whole number that is not negative, not the number `-1`.",
            ),
            (r#"{"x": 1, "dry_run": "yes"}"#, "This must be true or false, not the text \"yes\"."),
            (r#"{"x": 1, "reason": true}"#, "This must be a string, not `true`."),
            (
                r#"{"x": 1, "x": 2}"#,
                "The field `x` is there twice, perhaps under another name: send it once.",
            ),
            (r#"{"reason": "x"}"#, "Missing field `x`."),
            ("[1]", "This must be an object, not an array."),
        ] {
            assert_eq!(read::<Body>(body.as_bytes()).unwrap_err().to_string(), sentence, "{body}");
        }
    }

    #[test]
    fn values_that_are_no_time_are_refused_with_an_example() {
        for (until, found) in [
            (r#""soon""#, ""),
            (r#""2026-01-31""#, ""),
            (r#""2026-01-31T08:30""#, ""),
            (r#""2026-01-31T08:30:00Z, or later""#, ""),
            (r#""2026-02-31T08:30:00Z""#, ""),
            (r#""2026-01-31T25:30:00Z""#, ""),
            (r#""""#, ""),
            ("7", ", not the number `7`"),
            ("[]", ", not an array"),
        ] {
            let error = read::<Body>(format!(r#"{{"x": 1, "until": {until}}}"#).as_bytes()).unwrap_err();
            let expected = format!("This must be a time such as 2026-01-31T08:30:00Z{found}.");
            assert_eq!(error.to_string(), expected, "{until}");
        }
    }

    #[test]
    fn syntax_errors_name_the_place_and_the_reason() {
        for (body, sentence) in [
            (" ", "The body is empty."),
            (r#"{"x": 1"#, "The JSON ends before it is complete, at line 1, column 7."),
            (
                r#"{"x": one}"#,
                "This is not JSON at line 1, column 7: a value is missing or not in double quotes.",
            ),
            (
                "{x: 1}",
                "This is not JSON at line 1, column 2: a name is not in double quotes, or a comma follows \
                 the last value.",
            ),
            (
                r#"{"x": 1,}"#,
                "This is not JSON at line 1, column 9: a name is not in double quotes, or a comma follows \
                 the last value.",
            ),
            (r#"{"x": 1} {}"#, "This is not JSON at line 1, column 10: text follows after the end."),
            (
                "{\"reason\": \"a\nb\"}",
                "This is not JSON at line 1, column 13: a text has a line break or another control \
                 character.",
            ),
        ] {
            assert_eq!(read::<Body>(body.as_bytes()).unwrap_err().to_string(), sentence, "{body}");
        }
        let deep = "[".repeat(1_000);
        let error = serde_json::from_str::<Value>(&deep).unwrap_err();
        assert!(syntax_sentence(&error).ends_with("it is nested too deeply."), "{error}");
    }
}
