//! Responses that no cache may store: keys, accounts, sessions, and the operators' API.

use actix_web::http::header::{CACHE_CONTROL, HeaderValue};
use actix_web::{HttpResponse, HttpResponseBuilder};
use serde::Serialize;

/// The `Cache-Control` of responses that no cache may store.
pub const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

/// Adds `Cache-Control: no-store` to a response.
pub fn no_store(mut response: HttpResponseBuilder) -> HttpResponseBuilder {
    response.insert_header((CACHE_CONTROL, NO_STORE));
    response
}

/// Returns 200 with a JSON body that no cache may store.
pub fn no_store_json(body: impl Serialize) -> HttpResponse {
    no_store(HttpResponse::Ok()).json(body)
}

/// Returns 202 with a JSON body that no cache may store.
pub fn no_store_accepted(body: impl Serialize) -> HttpResponse {
    no_store(HttpResponse::Accepted()).json(body)
}

/// Returns 201 with a JSON body that no cache may store.
pub fn no_store_created(body: impl Serialize) -> HttpResponse {
    no_store(HttpResponse::Created()).json(body)
}
