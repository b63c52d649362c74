//! CORS: lets pages of other origins use public reads, and nothing else (Fetch standard).
//!
//! Every response to a public read, errors included, has `Access-Control-Allow-Origin: *`. That is safe even
//! if a response depends on a cookie: browsers hide responses with `*` from pages that sent credentials, and
//! no response here has `Access-Control-Allow-Credentials` or echoes an origin. Preflight requests fail,
//! because `OPTIONS` is refused like any other unsupported method. So a page of another origin can neither
//! send a key or a JSON body nor write.
//!
//! The endpoints of OAuth that programs use are open to pages of any origin with all methods, because MCP
//! clients run in browsers, too. They use no cookies: what a page sends there it knows by itself.

use actix_web::http::Method;
use actix_web::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, HeaderMap, HeaderValue,
};
use actix_web::{HttpRequest, HttpResponse, Route, web};

const ANY_ORIGIN: HeaderValue = HeaderValue::from_static("*");
/// The response headers that scripts of other origins can read.
const EXPOSED_HEADERS: HeaderValue = HeaderValue::from_static(
    "ETag, RateLimit, RateLimit-Policy, Retry-After, X-Canvas-Version, X-Request-Id, X-Skill-Version",
);

/// App data that marks a resource with public reads.
#[derive(Clone, Copy)]
pub struct PublicRead;

/// App data that marks a resource for pages of any origin, with all its methods.
#[derive(Clone, Copy)]
pub struct PublicEndpoint;

/// Returns the route that grants preflight requests.
pub fn preflight_route() -> Route {
    web::method(Method::OPTIONS).to(grant_preflight)
}

#[allow(clippy::unused_async, reason = "handlers are async")]
async fn grant_preflight() -> HttpResponse {
    HttpResponse::NoContent()
        .insert_header((ACCESS_CONTROL_ALLOW_METHODS, "GET, POST"))
        .insert_header((ACCESS_CONTROL_ALLOW_HEADERS, "Content-Type, Authorization, MCP-Protocol-Version"))
        .insert_header((ACCESS_CONTROL_MAX_AGE, 86_400))
        .finish()
}

/// Returns true if pages of any origin may read the response to a request.
pub fn is_for_any_origin(request: &HttpRequest) -> bool {
    is_public_read(request) || request.app_data::<PublicEndpoint>().is_some()
}

fn is_public_read(request: &HttpRequest) -> bool {
    // Checks the method first, so that placements skip the look-up.
    matches!(*request.method(), Method::GET | Method::HEAD) && request.app_data::<PublicRead>().is_some()
}

/// Allows pages of any origin to read a response and the exposed headers.
pub fn allow_any_origin(headers: &mut HeaderMap) {
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, ANY_ORIGIN);
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED_HEADERS);
}
