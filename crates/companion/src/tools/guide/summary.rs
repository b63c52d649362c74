//! One line about a call of a tool, for the visitor.

use serde_json::{Map, Value};
use text_filters::content::clean_unchecked;

/// The arguments that a summary names, in their order.
const NAMED_ARGUMENTS: [&str; 10] = ["kind", "q", "in", "agent", "id", "x", "y", "at", "from", "to"];
const MAX_SUMMARY_CHARS: usize = 120;
const ELLIPSIS: char = '…';

/// Describes a call by the tool's name and its most telling arguments, such as `search lighthouse`. The
/// arguments were written by a model, so they are cleaned.
pub(in crate::tools) fn summarize_call(name: &str, arguments: &Map<String, Value>) -> String {
    let values = NAMED_ARGUMENTS.iter().filter_map(|argument| match arguments.get(*argument) {
        Some(Value::String(text)) => Some(clean_unchecked(text).trim().to_owned()),
        Some(Value::Number(number)) => Some(number.to_string()),
        _ => None,
    });
    let words: Vec<String> = [name.to_owned()].into_iter().chain(values).collect();
    let line = words.join(" ");
    if line.chars().count() <= MAX_SUMMARY_CHARS {
        return line;
    }
    line.chars().take(MAX_SUMMARY_CHARS - 1).chain([ELLIPSIS]).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn summary(name: &str, arguments: &Value) -> String {
        summarize_call(name, arguments.as_object().unwrap())
    }

    #[test]
    fn a_summary_names_the_arguments() {
        assert_eq!(summary("search", &json!({"limit": 5, "q": "lighthouse"})), "search lighthouse");
        assert_eq!(summary("read", &json!({"y": 4, "x": 3, "kind": "pixel"})), "read pixel 3 4");
        assert_eq!(summary("propose", &json!({"kind": "plan", "change": {"title": "Sun"}})), "propose plan");
        assert_eq!(summary("context", &json!({})), "context");
    }

    #[test]
    fn a_summary_is_one_short_clean_line() {
        let summary = summary("search", &json!({"q": format!("a\nb\u{202e}\u{7}{}", "c".repeat(300))}));
        assert_eq!(summary.chars().count(), MAX_SUMMARY_CHARS);
        assert!(summary.ends_with(ELLIPSIS) && !summary.chars().any(char::is_control), "{summary}");
    }
}
