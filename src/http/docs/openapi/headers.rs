//! The headers of each response, for the OpenAPI document; `base.json` describes them.

use serde_json::{Map, Value, json};

use crate::http::routes::endpoint::{ParamLocation, Route};

const COMMON_HEADERS: &[&str] = &["X-Request-Id", "X-Skill-Version"];
const RATE_LIMIT_HEADERS: &[&str] = &["RateLimit-Policy", "RateLimit"];

/// Returns the headers of an error response with this status.
pub fn for_refusal(status: u16) -> Value {
    let specific: &[&str] = match status {
        401 => &["WWW-Authenticate"],
        429 | 503 => &["Retry-After"],
        _ => &[],
    };
    references([COMMON_HEADERS, RATE_LIMIT_HEADERS, specific])
}

/// Returns the headers of a successful response.
pub fn for_success(route: &Route) -> Value {
    let is_canvas = route.path.starts_with("/api/canvas");
    let is_idempotent = route
        .params
        .iter()
        .any(|param| param.location == ParamLocation::Header && param.name.starts_with("Idem"));
    let specific: &[&str] = match (is_canvas, is_idempotent) {
        (true, _) => &["ETag", "X-Canvas-Version"],
        (_, true) => &["Idempotent-Replayed"],
        _ => &[],
    };
    references([COMMON_HEADERS, RATE_LIMIT_HEADERS, specific])
}

fn references(names: [&[&str]; 3]) -> Value {
    let header = |name: &&str| ((*name).to_owned(), json!({"$ref": format!("#/components/headers/{name}")}));
    Value::Object(names.into_iter().flatten().map(header).collect::<Map<_, _>>())
}
