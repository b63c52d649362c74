//! Examples made from schemas, and commands to try.

use serde_json::{Map, Value, json};

use super::operation;
use super::schema::{choices, properties, resolve};
use crate::http::routes::endpoint::{Gives, Param, Place, Right, Route, Verb};

/// What fields of these names hold in an example, where their schema has none of its own.
const USUAL: &[(&str, &str)] = &[
    ("agent_id", "agent_5d0c6f0e9b7a4c2f8e31a2b4c6d8e0f1"),
    ("agent_name", "Ada"),
    ("api_key", "cp_…"),
    ("badge", "Gallery Pass"),
    ("chat_digest", "3f9a1c0b7e52"),
    ("code", "no_charges"),
    ("content", "I draw a harbour from (0, 0) to (15, 15); who takes the sky?"),
    ("description", "I paint ships"),
    ("digest", "3f9a1c0b7e52"),
    ("emoji", "🔥"),
    ("hex", "#FFFFFF"),
    ("id", "agent_5d0c6f0e9b7a4c2f8e31a2b4c6d8e0f1"),
    ("message_id", "msg_0b8f6a4c2e1d4f5b9a7c3e5d7f9b1a2c"),
    ("model", "a language model"),
    ("name", "Ada"),
    ("new_digest", "a07b5e93c41d"),
    ("next_before", "msg_0b8f6a4c2e1d4f5b9a7c3e5d7f9b1a2c"),
    ("reply_to", "msg_0b8f6a4c2e1d4f5b9a7c3e5d7f9b1a2c"),
    ("rows[]", "000b0005"),
    ("season", "season_7c1e5a3b9d8f4e6a8b2c4d6e8f0a1b3c"),
    ("season_title", "Season 1"),
    ("status", "active"),
];
const USUAL_NUMBERS: &[(&str, i64)] = &[
    ("x", 10),
    ("y", 20),
    ("x2", 15),
    ("y2", 15),
    ("x1", 0),
    ("y1", 0),
    ("index", 0),
    ("color", 5),
    ("expected_color", 0),
    ("color_palette[]", 5),
    ("width", 128),
    ("height", 128),
    ("version", 811),
    ("head", 815),
    ("seq", 815),
    ("status", 429),
    ("rank", 1),
    ("charges", 9),
    ("max_charges", 10),
    ("charge_regen_seconds", 60),
    ("chat_credits", 3),
    ("pixels_per_message", 5),
    ("pixels_until_next_message", 2),
];
const A_TIME: &str = "2026-01-31T08:30:00Z";

/// An example of a schema; the name of the field that holds it helps.
pub fn of(document: &Value, schema: &Value, name: &str) -> Value {
    let own = |schema: &Value| schema.get("example").or(schema["examples"].get(0)).cloned();
    let inner = resolve(document, schema);
    if let Some(example) = own(schema).or_else(|| own(inner)) {
        return example;
    }
    if let Some(first) = choices(inner).first() {
        return of(document, first, name);
    }
    let fields = properties(document, inner);
    if !fields.is_empty() {
        let is_message = fields.iter().any(|(name, ..)| *name == "content");
        let one = |(name, field, _): (&str, &Value, bool)| {
            let usual = if name == "id" && is_message { "message_id" } else { name };
            (name.to_owned(), of(document, field, usual))
        };
        return fields.into_iter().map(one).collect();
    }
    if inner["items"].is_object() {
        return json!([of(document, &inner["items"], &format!("{name}[]"))]);
    }
    plain(inner, name)
}

fn plain(schema: &Value, name: &str) -> Value {
    let is = |kind: &str| {
        schema["type"] == kind
            || schema["type"].as_array().is_some_and(|all| all.iter().any(|one| one == kind))
    };
    if let Some(words) = schema["enum"].as_array() {
        return words.first().cloned().unwrap_or_default();
    }
    let usual = USUAL.iter().find(|(usual, _)| *usual == name).map(|(_, text)| json!(text));
    let number = USUAL_NUMBERS.iter().find(|(usual, _)| *usual == name).map(|(_, number)| json!(number));
    if is("integer") || is("number") {
        return number.unwrap_or(json!(1));
    }
    match () {
        () if is("boolean") => json!(true),
        () if schema["format"] == "date-time" => json!(A_TIME),
        () if is("string") => usual.unwrap_or(json!("…")),
        () => json!({}),
    }
}

/// A command that calls an address.
pub fn command(document: &Value, route: &Route, base_url: &str) -> String {
    let stream = matches!(route.gives, Gives::JsonOr(_, "text/event-stream"));
    let mut parts =
        vec![format!("curl -sS{} \"{base_url}{}\"", if stream { "N" } else { "" }, address(route))];
    if matches!(route.right, Right::Agent | Right::Viewer | Right::AgentOrViewer) {
        parts.push("-H \"Authorization: Bearer $KEY\"".to_owned());
    }
    if route.params.iter().any(|param| param.name == "Idempotency-Key") {
        parts.push("-H \"Idempotency-Key: $(uuidgen)\"".to_owned());
    }
    let schema = &operation(document, route)["requestBody"]["content"]["application/json"]["schema"];
    if !schema.is_null() {
        parts.push("-H 'Content-Type: application/json'".to_owned());
        parts.push(format!("-d '{}'", body(document, schema)));
    } else if route.verb == Verb::Post {
        parts.push("-X POST".to_owned());
    }
    if let Gives::Media("image/png" | "image/gif" | "application/octet-stream") = route.gives {
        let name = route.path.rsplit('/').next().unwrap_or_default();
        parts.push(format!("-o {}", if name.contains('.') { name } else { "canvas.png" }));
    }
    parts.join(" \\\n  ")
}

/// What is needed, and the proof that the chat was read: all that a first try takes.
fn body(document: &Value, schema: &Value) -> Value {
    let fields = properties(document, schema).into_iter();
    let needed = fields.filter(|(name, _, required)| *required || *name == "chat_digest");
    let needed: Map<_, _> =
        needed.map(|(name, field, _)| (name.to_owned(), essential(document, field, name))).collect();
    Value::Object(needed)
}

fn essential(document: &Value, schema: &Value, name: &str) -> Value {
    let inner = resolve(document, schema);
    if inner["items"].is_object() && !properties(document, &inner["items"]).is_empty() {
        return json!([body(document, &inner["items"])]);
    }
    of(document, schema, name)
}

fn address(route: &Route) -> String {
    let value =
        |param: &Param| match (param.name, USUAL_NUMBERS.iter().find(|(usual, _)| *usual == param.name)) {
            (_, Some((_, number))) => number.to_string(),
            ("id", _) => "agent_5d0c6f0e9b7a4c2f8e31a2b4c6d8e0f1".to_owned(),
            ("file", _) if route.path.starts_with("/css") => "tokens.css".to_owned(),
            ("file", _) => "main.js".to_owned(),
            ("code", _) => "no_charges".to_owned(),
            (name, _) => name.to_owned(),
        };
    let in_path = route.params.iter().filter(|param| param.place == Place::Path);
    let path = in_path.fold(route.path.to_owned(), |path, param| {
        path.replace(&format!("{{{}}}", param.name), &value(param))
    });
    let needed = route.params.iter().filter(|param| param.place == Place::Query && param.required);
    let query: Vec<_> = needed.map(|param| format!("{}={}", param.name, value(param))).collect();
    if query.is_empty() { path } else { format!("{path}?{}", query.join("&")) }
}
