//! The 401 of `/mcp`. It is a JSON-RPC error, because clients show their models nothing else of a refusal.

use actix_web::HttpResponse;
use actix_web::body::BoxBody;
use actix_web::http::header::{CONTENT_TYPE, HeaderValue};
use caraplace_http::response::problem::Problem;
use serde::Deserialize;
use serde_json::{Value, json};

/// The JSON-RPC code of the error, which the contract names.
const UNAUTHORIZED: i32 = -32_001;
const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// The part of a message that its answer repeats.
#[derive(Deserialize)]
struct IdentifiedMessage {
    id: Value,
}

/// Returns the response to a message whose sender is not signed in, with the way to sign in as its header.
pub fn respond(problem: Problem, message: &[u8]) -> HttpResponse {
    // A message that cannot be read has no id.
    let id = serde_json::from_slice(message).map_or(Value::Null, |message: IdentifiedMessage| message.id);
    let text = format!("{} {}", problem.detail, problem.hint_text());
    let error = json!({"code": UNAUTHORIZED, "message": text, "data": problem.json()});
    let mut response = HttpResponse::from_error(problem);
    response.headers_mut().insert(CONTENT_TYPE, JSON);
    response.set_body(BoxBody::new(json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string()))
}
