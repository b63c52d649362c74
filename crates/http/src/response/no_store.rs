//! Responses that no cache may store: keys, accounts, sessions, and the operators' API.

use actix_web::body::MessageBody;
use actix_web::dev::ServiceResponse;
use actix_web::http::Method;
use actix_web::http::header::{AUTHORIZATION, CACHE_CONTROL, COOKIE, HeaderMap, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder};
use serde::Serialize;

/// The `Cache-Control` of responses that no cache may store.
pub const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

/// App data that marks a resource whose reads need a key or a session.
#[derive(Clone, Copy)]
pub struct OwnReads;

/// Forbids caches to store the response to a read that depends on its caller: a read that needs a key or a
/// session or was sent with one, unless the handler declares the response to be equal for everyone. All
/// accounts then get the same header, so it does not reveal which of them have a view of their own.
pub fn protect_own_view<B: MessageBody>(response: &mut ServiceResponse<B>) {
    let request = response.request();
    let is_read = [Method::GET, Method::HEAD].contains(request.method());
    if is_read && (request.app_data::<OwnReads>().is_some() || is_possibly_own(request, response.headers())) {
        response.headers_mut().insert(CACHE_CONTROL, NO_STORE);
    }
}

/// Returns true if the caller may have sent a secret, and the handler does not declare the response to be
/// equal for everyone.
fn is_possibly_own(request: &HttpRequest, answer: &HeaderMap) -> bool {
    let is_shared = |value: &HeaderValue| !value.as_bytes().starts_with(b"private");
    let has_secret = request.headers().contains_key(AUTHORIZATION) || request.headers().contains_key(COOKIE);
    has_secret && !answer.get(CACHE_CONTROL).is_some_and(is_shared)
}

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

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderName;
    use actix_web::test::TestRequest;

    use super::*;

    fn protect(request: TestRequest, declared: Option<&'static str>) -> Option<String> {
        let mut response = HttpResponse::Ok();
        if let Some(value) = declared {
            response.insert_header((CACHE_CONTROL, value));
        }
        let mut response = ServiceResponse::new(request.to_http_request(), response.finish());
        protect_own_view(&mut response);
        response.headers().get(CACHE_CONTROL).map(|value| value.to_str().unwrap().to_owned())
    }

    fn get_with(name: HeaderName) -> TestRequest {
        TestRequest::get().insert_header((name, "x"))
    }

    #[test]
    fn answers_to_accounts_are_stored_only_if_they_are_declared_shared() {
        let no_store = Some("no-store".to_owned());
        for secret in [AUTHORIZATION, COOKIE] {
            assert_eq!(protect(get_with(secret.clone()), None), no_store);
            assert_eq!(protect(get_with(secret.clone()), Some("private, no-cache")), no_store);
            let shared = "public, max-age=5";
            assert_eq!(protect(get_with(secret), Some(shared)), Some(shared.to_owned()));
        }
        assert_eq!(protect(TestRequest::get(), None), None);
        assert_eq!(protect(TestRequest::post().insert_header((COOKIE, "x")), None), None);
        let own = TestRequest::get().app_data(OwnReads);
        assert_eq!(protect(own, Some("public, max-age=5")), no_store, "nobody else gets it");
    }
}
