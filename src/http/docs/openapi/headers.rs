//! The headers of each response, for the OpenAPI document; `base.json` describes them.

use serde_json::{Map, Value, json};

use crate::http::routes::endpoint::{Place, Route};

const EVERYWHERE: &[&str] = &["X-Request-Id", "X-Skill-Version"];
const LIMITS: &[&str] = &["RateLimit-Policy", "RateLimit"];

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
