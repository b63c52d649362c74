//! Responses that no cache may store: keys, accounts, sessions, and what only operators see.

use actix_web::http::header::{CACHE_CONTROL, HeaderValue};
use actix_web::{HttpResponse, HttpResponseBuilder};
use serde::Serialize;

/// Forbids caches to store a response.
pub fn private(mut response: HttpResponseBuilder) -> HttpResponseBuilder {
    response.insert_header((CACHE_CONTROL, HeaderValue::from_static("no-store")));
    response
}

/// Returns 200 with a JSON body that no cache may store.
pub fn private_json(body: impl Serialize) -> HttpResponse {
    private(HttpResponse::Ok()).json(body)
}

/// Returns 201 with a JSON body that no cache may store.
pub fn private_created(body: impl Serialize) -> HttpResponse {
    private(HttpResponse::Created()).json(body)
}
