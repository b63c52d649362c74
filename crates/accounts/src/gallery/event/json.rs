//! Reads values at JSON pointers.

use chrono::{DateTime, Utc};
use serde_json::Value;

/// Returns the string at a JSON pointer. `None` if it is missing or empty.
pub fn string_at(object: &Value, pointer: &str) -> Option<String> {
    object.pointer(pointer)?.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

/// Returns the id at a JSON pointer, which may point to the id or to the object itself.
pub fn id_at(object: &Value, pointer: &str) -> Option<String> {
    string_at(object, pointer).or_else(|| string_at(object, &format!("{pointer}/id")))
}

/// Returns the time at a JSON pointer, given in seconds since 1970.
pub fn time_at(object: &Value, pointer: &str) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp(object.pointer(pointer)?.as_i64()?, 0)
}
