//! CORS: lets pages of other origins use public reads, `/mcp` and endpoints of OAuth (Fetch standard).
//!
//! Every response to a public read, errors included, has `Access-Control-Allow-Origin: *`. That is safe even
//! if a response depends on a cookie: browsers hide responses with `*` from pages that sent credentials, and
//! no response here has `Access-Control-Allow-Credentials` or echoes an origin. Preflight requests fail,
//! because `OPTIONS` is refused like any other unsupported method. So a page of another origin can neither
//! send a key or a JSON body to these routes nor write through them.
//!
//! `/mcp` and the endpoints of OAuth that programs use are open to pages of any origin with all methods,
//! because MCP clients run in browsers, too. They use no cookies: what a page sends there it knows by itself.

use actix_web::http::Method;
use actix_web::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS, HeaderMap,
    HeaderName, HeaderValue, VARY,
};
use actix_web::{HttpRequest, HttpResponse, Route, web};

const ANY_ORIGIN: HeaderValue = HeaderValue::from_static("*");
/// The response headers that scripts of other origins can read.
const EXPOSED_HEADERS: HeaderValue = HeaderValue::from_static(
    "ETag, RateLimit, RateLimit-Policy, Retry-After, X-Canvas-Version, X-Request-Id, X-Skill-Version",
);

/// The same for the endpoints of programs, which also say where to sign in.
const EXPOSED_HEADERS_OF_ENDPOINTS: HeaderValue = HeaderValue::from_static(
    "ETag, RateLimit, RateLimit-Policy, Retry-After, X-Canvas-Version, X-Request-Id, X-Skill-Version, \
     Mcp-Session-Id, WWW-Authenticate",
);
/// The request headers that scripts of other origins can always send to these endpoints.
const ALLOWED_HEADERS: &str =
    "Content-Type, Authorization, X-API-Key, MCP-Protocol-Version, Mcp-Session-Id, Last-Event-ID";
/// The beginning of the names of the protocol's own headers. There are more in each revision.
const MCP_HEADER_PREFIX: &str = "mcp-";

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
async fn grant_preflight(request: HttpRequest) -> HttpResponse {
    HttpResponse::NoContent()
        .insert_header((ACCESS_CONTROL_ALLOW_METHODS, "GET, POST"))
        .insert_header((ACCESS_CONTROL_ALLOW_HEADERS, allowed_headers(&request)))
        .insert_header((ACCESS_CONTROL_MAX_AGE, 86_400))
        .insert_header((VARY, "Access-Control-Request-Headers"))
        .finish()
}

/// Returns the allowed request headers, with the headers of the protocol that the preflight request asks for:
/// a list has no wildcard for a part of a name, and the wildcard for all excludes `Authorization`.
fn allowed_headers(request: &HttpRequest) -> String {
    let asked = request.headers().get_all(ACCESS_CONTROL_REQUEST_HEADERS);
    let names = asked.filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(','));
    let names = names.filter_map(|name| name.trim().parse::<HeaderName>().ok());
    names
        .filter(|name| name.as_str().starts_with(MCP_HEADER_PREFIX))
        .fold(ALLOWED_HEADERS.to_owned(), |list, name| format!("{list}, {name}"))
}

/// Returns the headers that pages of any origin may read in the response to a request; `None` if they may not
/// read it.
pub fn headers_for_any_origin(request: &HttpRequest) -> Option<HeaderValue> {
    if is_public_read(request) {
        return Some(EXPOSED_HEADERS);
    }
    request.app_data::<PublicEndpoint>().map(|_| EXPOSED_HEADERS_OF_ENDPOINTS)
}

fn is_public_read(request: &HttpRequest) -> bool {
    // Checks the method first, so that placements skip the look-up.
    matches!(*request.method(), Method::GET | Method::HEAD) && request.app_data::<PublicRead>().is_some()
}

/// Allows pages of any origin to read a response and the exposed headers.
pub fn allow_any_origin(headers: &mut HeaderMap, exposed: HeaderValue) {
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, ANY_ORIGIN);
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, exposed);
}
