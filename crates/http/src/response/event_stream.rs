//! Responses that stream server-sent events.

use std::time::Duration;

use actix_web::http::header::{CACHE_CONTROL, VARY};
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder, body};
use platform::refusal::codes::Code;

use super::negotiate::accepts;
use super::no_store::NO_STORE;
use super::problem::Problem;

/// The interval of the comment lines that keep the connection open.
pub const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(15);
const EVENT_STREAM: &str = "text/event-stream";

/// Returns a response that streams events: neither caches nor proxies may hold it back.
///
/// # Errors
/// `not_acceptable` if the client accepts no such stream.
pub fn event_stream(request: &HttpRequest) -> Result<HttpResponseBuilder, Problem> {
    if !accepts(request, EVENT_STREAM) {
        return Err(Problem::new(Code::NotAcceptable, "This endpoint returns text/event-stream."));
    }
    let mut response = HttpResponse::Ok();
    response
        .content_type(EVENT_STREAM)
        .insert_header((CACHE_CONTROL, NO_STORE))
        .insert_header((VARY, "Accept"))
        .insert_header(("X-Accel-Buffering", "no"));
    Ok(response)
}

/// Returns the response to HEAD. It states no length, because the stream has none.
pub fn stream_head(mut response: HttpResponseBuilder) -> HttpResponse {
    response.body(body::None::new())
}
