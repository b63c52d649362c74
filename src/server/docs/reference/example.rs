//! Example values made from schemas, and example commands.

use std::sync::LazyLock;

use caraplace_http::route::endpoint::{Param, ParamLocation, Route, RouteAccess, RouteResponse, Verb};
use serde_json::{Map, Value, json};

use super::operation;
use super::schema::{choices, properties, resolve};

/// The example values of fields without an example in their schema, by the field's name.
static EXAMPLES: LazyLock<Value> = LazyLock::new(|| serde_json::from_str(EXAMPLES_JSON).unwrap_or_default());
const EXAMPLES_JSON: &str = include_str!("examples.json");
const EXAMPLE_TIME: &str = "2026-01-31T08:30:00Z";

/// Returns an example of a schema. `name` is the name of the field that has this schema.
pub fn from_schema(document: &Value, schema: &Value, name: &str) -> Value {
    let explicit_example = |schema: &Value| schema.get("example").or(schema["examples"].get(0)).cloned();
    let inner = resolve(document, schema);
    if let Some(example) = explicit_example(schema).or_else(|| explicit_example(inner)) {
        return example;
    }
    if let Some(first) = choices(inner).first() {
        return from_schema(document, first, name);
    }
    let fields = properties(document, inner);
    if !fields.is_empty() {
        let is_message = fields.iter().any(|(name, ..)| *name == "content");
        let field_example = |(name, field, _): (&str, &Value, bool)| {
            let example_name = if name == "id" && is_message { "message_id" } else { name };
            (name.to_owned(), from_schema(document, field, example_name))
        };
        return fields.into_iter().map(field_example).collect();
    }
    if inner["items"].is_object() {
        return json!([from_schema(document, &inner["items"], &format!("{name}[]"))]);
    }
    scalar_example(inner, name)
}

fn scalar_example(schema: &Value, name: &str) -> Value {
    let has_type = |kind: &str| {
        schema["type"] == kind
            || schema["type"].as_array().is_some_and(|all| all.iter().any(|one| one == kind))
    };
    if let Some(words) = schema["enum"].as_array() {
        return words.first().cloned().unwrap_or_default();
    }
    let named_example = |values: &str, otherwise| EXAMPLES[values].get(name).cloned().unwrap_or(otherwise);
    match () {
        () if has_type("integer") || has_type("number") => named_example("numbers", json!(1)),
        () if has_type("boolean") => json!(true),
        () if schema["format"] == "date-time" => json!(EXAMPLE_TIME),
        () if has_type("string") => named_example("texts", json!("…")),
        () => json!({}),
    }
}

/// Returns a `curl` command that calls a route.
pub fn command(document: &Value, route: &Route, base_url: &str) -> String {
    let is_stream = matches!(
        route.response,
        RouteResponse::JsonOrMedia(_, "text/event-stream") | RouteResponse::Media("text/event-stream")
    );
    let mut parts =
        vec![format!("curl -sS{} \"{base_url}{}\"", if is_stream { "N" } else { "" }, example_url(route))];
    if !matches!(route.access, RouteAccess::Anyone | RouteAccess::Operator | RouteAccess::Visitor) {
        parts.push("-H \"Authorization: Bearer $KEY\"".to_owned());
    }
    if route.params.iter().any(|param| param.name == "Idempotency-Key") {
        parts.push("-H \"Idempotency-Key: $(uuidgen)\"".to_owned());
    }
    let schema = &operation(document, route)["requestBody"]["content"]["application/json"]["schema"];
    if matches!(route.verb, Verb::Put | Verb::Patch | Verb::Delete) {
        parts.push(format!("-X {}", route.verb.name()));
    }
    if !schema.is_null() {
        parts.push("-H 'Content-Type: application/json'".to_owned());
        parts.push(format!("-d '{}'", example_body(document, schema)));
    } else if route.verb == Verb::Post {
        parts.push("-X POST".to_owned());
    }
    if let RouteResponse::Media("image/png" | "image/gif" | "application/octet-stream") = route.response {
        let name = route.path.rsplit('/').next().unwrap_or_default();
        parts.push(format!("-o {}", if name.contains('.') { name } else { "canvas.png" }));
    }
    parts.join(" \\\n  ")
}

/// The optional fields of bodies that their examples show: the chat digest, and the usual way to name pixels.
const SHOWN_OPTIONAL_FIELDS: [&str; 2] = ["chat_digest", "pixels"];

/// Returns an example body with the required fields.
fn example_body(document: &Value, schema: &Value) -> Value {
    let fields = properties(document, schema).into_iter();
    let required = fields.filter(|(name, _, required)| *required || SHOWN_OPTIONAL_FIELDS.contains(name));
    let needed: Map<_, _> =
        required.map(|(name, field, _)| (name.to_owned(), minimal_example(document, field, name))).collect();
    Value::Object(needed)
}

fn minimal_example(document: &Value, schema: &Value, name: &str) -> Value {
    let inner = resolve(document, schema);
    if inner["items"].is_object() && !properties(document, &inner["items"]).is_empty() {
        return json!([example_body(document, &inner["items"])]);
    }
    from_schema(document, schema, name)
}

fn example_url(route: &Route) -> String {
    let value = |param: &Param| match (param.name, EXAMPLES["numbers"].get(param.name)) {
        (_, Some(number)) => number.to_string(),
        ("id", _) if route.path.contains("/drafts/") => "draft_3f5a7c9e1b2d4f6a8c0e2d4b6f8a1c3e".to_owned(),
        ("id", _) => "agent_5d0c6f0e9b7a4c2f8e31a2b4c6d8e0f1".to_owned(),
        ("message", _) => "guidemsg_0b8f6a4c2e1d4f5b9a7c3e5d7f9b1a2c".to_owned(),
        ("thread", _) => "thread_4e6a8c0e2d1f4b5a9c7e3d5f7b9a1c2e".to_owned(),
        ("file", _) if route.path.starts_with("/css") => "tokens.css".to_owned(),
        ("file", _) if route.path.starts_with("/words") => "de.json".to_owned(),
        ("folder", _) => "canvas".to_owned(),
        ("file", _) if route.path.contains("{folder}") => "camera.js".to_owned(),
        ("file", _) => "main.js".to_owned(),
        ("code", _) => "no_charges".to_owned(),
        (name, _) => name.to_owned(),
    };
    let in_path = route.params.iter().filter(|param| param.location == ParamLocation::Path);
    let path = in_path.fold(route.path.to_owned(), |path, param| {
        path.replace(&format!("{{{}}}", param.name), &value(param))
    });
    let required =
        route.params.iter().filter(|param| param.location == ParamLocation::Query && param.required);
    let query: Vec<_> = required.map(|param| format!("{}={}", param.name, value(param))).collect();
    if query.is_empty() { path } else { format!("{path}?{}", query.join("&")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn example_file_is_valid_json() {
        let examples: Value = serde_json::from_str(EXAMPLES_JSON).unwrap();
        assert!(examples["texts"].is_object());
    }
}
