//! The fields that an action has changed, as the console shows them.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use serde_json::Value;

use crate::pages::text_format::is_permanent;

/// A field that an action has changed.
#[derive(Debug, PartialEq, Eq)]
pub struct FieldChange {
    /// The name in words; that of a part follows the name of the whole.
    pub field: String,
    /// The value before the action; "none" if there was none.
    pub before: String,
    /// The value after the action; "none" if there is none.
    pub after: String,
}

/// Returns the fields whose values differ, in the order of their names.
pub fn changed_fields(before: &Value, after: &Value) -> Vec<FieldChange> {
    let [before, after] = [before, after].map(|state| {
        let mut fields = BTreeMap::new();
        collect_fields("", state, &mut fields);
        fields
    });
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let changed = names.into_iter().filter(|name| before.get(*name) != after.get(*name));
    let change = |name: &String| FieldChange {
        field: name.clone(),
        before: before.get(name).map_or_else(none, |value| describe(value)),
        after: after.get(name).map_or_else(none, |value| describe(value)),
    };
    changed.map(change).collect()
}

/// Adds the fields of a state, those of its parts included. Fields that are null are left out.
fn collect_fields<'v>(name: &str, value: &'v Value, fields: &mut BTreeMap<String, &'v Value>) {
    match value {
        Value::Null => {}
        Value::Object(parts) => {
            for (part, value) in parts {
                let part = part.replace('_', " ");
                let full_name = if name.is_empty() { part } else { format!("{name}: {part}") };
                collect_fields(&full_name, value, fields);
            }
        }
        _ => {
            fields.insert(name.to_owned(), value);
        }
    }
}

/// Returns a value in words.
fn describe(value: &Value) -> String {
    match value {
        Value::Null => none(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::String(text) => describe_time(text).unwrap_or_else(|| text.clone()),
        Value::Array(items) => items.iter().map(describe).collect::<Vec<_>>().join(", "),
        Value::Number(_) | Value::Object(_) => value.to_string(),
    }
}

/// Returns a time to the minute, `None` for other texts.
fn describe_time(text: &str) -> Option<String> {
    let at = DateTime::parse_from_rfc3339(text).ok()?.with_timezone(&Utc);
    let shown = at.format("%-d %B %Y, %H:%M UTC").to_string();
    Some(if is_permanent(&at) { "permanently".to_owned() } else { shown })
}

fn none() -> String {
    "none".to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Returns the changes as field, before and after.
    fn changes(before: &Value, after: &Value) -> Vec<[String; 3]> {
        let changes = changed_fields(before, after).into_iter();
        changes.map(|FieldChange { field, before, after }| [field, before, after]).collect()
    }

    #[test]
    fn only_fields_that_differ_are_changes() {
        let before = json!({"name": "Ada", "shadowed": false, "mute_reason": null});
        let after = json!({"name": "Ada", "shadowed": true, "mute_reason": "spam"});
        assert_eq!(changes(&before, &after), [["mute reason", "none", "spam"], ["shadowed", "no", "yes"]]);
        assert!(changes(&after, &after).is_empty() && changes(&json!(null), &json!(null)).is_empty());
    }

    #[test]
    fn parts_and_lists_are_readable() {
        let picture = json!({"picture": {"x": 1, "rows": ["5.", ".5"]}, "version": 2});
        let expected =
            [["picture: rows", "5., .5", "none"], ["picture: x", "1", "none"], ["version", "2", "none"]];
        assert_eq!(changes(&picture, &json!(null)), expected);
    }

    #[test]
    fn times_are_readable() {
        let ban = |until: &str| json!({"banned_until": until});
        let found = changes(&ban("2026-01-31T08:30:00.5Z"), &ban("9999-12-31T23:59:59Z"));
        assert_eq!(found, [["banned until", "31 January 2026, 08:30 UTC", "permanently"]]);
    }
}
