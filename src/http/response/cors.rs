//! Lets pages of other origins read what anyone may read, and nothing else (the Fetch standard calls it CORS).
//!
//! Every answer to a public read, refusals included, allows any origin with `*`. That is safe even where an answer depends
//! on a cookie: browsers show no answer with `*` to a page that sent cookies along, and no answer here ever has
//! `Access-Control-Allow-Credentials` or repeats an origin. No preflight is granted: `OPTIONS` is refused like any
//! method that an address does not take, so a foreign page can neither send a key or a JSON body nor write.

use actix_web::HttpRequest;
use actix_web::http::Method;
use actix_web::http::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, HeaderMap, HeaderValue,
};

const ANY_ORIGIN: HeaderValue = HeaderValue::from_static("*");
/// The headers that a client needs and that browsers hide otherwise.
const EXPOSED_HEADERS: HeaderValue = HeaderValue::from_static(
    "ETag, RateLimit, RateLimit-Policy, Retry-After, X-Canvas-Version, X-Request-Id, X-Skill-Version",
);

/// Marks an address, in its data, whose reads are public.
#[derive(Clone, Copy)]
pub struct PublicRead;

/// Returns whether a request reads what anyone may read.
pub fn is_public_read(request: &HttpRequest) -> bool {
    // The method first: placements need not look the mark up.
    matches!(*request.method(), Method::GET | Method::HEAD) && request.app_data::<PublicRead>().is_some()
}

/// Allows pages of any origin to see an answer and these of its headers.
pub fn allow_any_origin(headers: &mut HeaderMap) {
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, ANY_ORIGIN);
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED_HEADERS);
}
