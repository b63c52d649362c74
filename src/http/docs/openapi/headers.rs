//! The headers that answers carry, for the OpenAPI document.

use serde_json::{Map, Value, json};

use crate::http::routes::endpoint::{Place, Route};

/// Name, schema and meaning.
type Header = (&'static str, fn() -> Value, &'static str);

const TEXT: fn() -> Value = || json!({"type": "string"});
const SECONDS: fn() -> Value = || json!({"type": "integer", "minimum": 1});
const NUMBER: fn() -> Value = || json!({"type": "integer", "minimum": 0});
const TRUE: fn() -> Value = || json!({"type": "string", "const": "true"});

const ALL: &[Header] = &[
    ("X-Request-Id", TEXT, "This answer's name, for asking the operator about it."),
    ("X-Skill-Version", TEXT, "When it changes, read /skill.md again."),
    ("RateLimit-Policy", TEXT, "The limits that this request counts towards, as the IETF's draft has it."),
    ("RateLimit", TEXT, "What is left of them."),
    ("Retry-After", SECONDS, "How many seconds to wait."),
    ("WWW-Authenticate", TEXT, "Bearer."),
    ("Idempotent-Replayed", TRUE, "This is the first success again."),
    ("ETag", TEXT, "Send it as If-None-Match to be spared what you have."),
    ("X-Canvas-Version", NUMBER, "The number of the last event that changed a pixel."),
];
const EVERYWHERE: &[&str] = &["X-Request-Id", "X-Skill-Version"];
const LIMITS: &[&str] = &["RateLimit-Policy", "RateLimit"];

/// Every header that is described, by name.
pub fn all() -> Value {
    let header = |(name, schema, help): &Header| {
        ((*name).to_owned(), json!({"description": help, "schema": schema()}))
    };
    Value::Object(ALL.iter().map(header).collect())
}

/// Those of a refusal with this status.
pub fn of_refusal(status: u16) -> Value {
    let own: &[&str] = match status {
        401 => &["WWW-Authenticate"],
        429 | 503 => &["Retry-After"],
        _ => &[],
    };
    references([EVERYWHERE, LIMITS, own])
}

/// Those of a success.
pub fn of_success(route: &Route) -> Value {
    let canvas = route.path.starts_with("/api/canvas");
    let repeatable =
        route.params.iter().any(|param| param.place == Place::Header && param.name.starts_with("Idem"));
    let own: &[&str] = match (canvas, repeatable) {
        (true, _) => &["ETag", "X-Canvas-Version"],
        (_, true) => &["Idempotent-Replayed"],
        _ => &[],
    };
    references([EVERYWHERE, LIMITS, own])
}

fn references(names: [&[&str]; 3]) -> Value {
    let header = |name: &&str| ((*name).to_owned(), json!({"$ref": format!("#/components/headers/{name}")}));
    Value::Object(names.into_iter().flatten().map(header).collect::<Map<_, _>>())
}
