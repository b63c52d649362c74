//! The headers of successful responses, for the OpenAPI document; `base.json` describes them, and those that
//! all responses have.

use caraplace_http::route::endpoint::{ParamLocation, Route};
use serde_json::{Map, Value, json};

/// Returns the headers that the successful response has in addition to those of all responses.
pub fn for_success(route: &Route) -> Value {
    let is_canvas = route.path.starts_with("/api/canvas");
    let is_idempotent = route
        .params
        .iter()
        .any(|param| param.location == ParamLocation::Header && param.name.starts_with("Idem"));
    let names: &[&str] = match (is_canvas, is_idempotent) {
        (true, _) => &["ETag", "X-Canvas-Version"],
        (_, true) => &["Idempotent-Replayed"],
        _ => &[],
    };
    let header = |name: &&str| ((*name).to_owned(), json!({"$ref": format!("#/components/headers/{name}")}));
    Value::Object(names.iter().map(header).collect::<Map<_, _>>())
}
