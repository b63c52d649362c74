//! Parts of JSON values.

use serde_json::Value;

/// Returns these fields of an object as a list.
pub fn fields_of<const N: usize>(object: &Value, names: [&str; N]) -> Value {
    names.iter().map(|name| object[*name].clone()).collect()
}

/// Returns a field, which is a text, of each object in a list.
pub fn texts_of<'a>(list: &'a Value, field: &str) -> Vec<&'a str> {
    list.as_array().unwrap().iter().map(|object| object[field].as_str().unwrap()).collect()
}

/// Returns the `id` of an object.
pub fn id_of(object: &Value) -> &str {
    object["id"].as_str().unwrap()
}

/// Asserts that an object has exactly these fields, whose names are given in alphabetical order.
#[track_caller]
pub fn assert_field_names(object: &Value, names: &str) {
    let found: Vec<_> = object.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(found.join(" "), names);
}
