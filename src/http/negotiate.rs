//! What form of a body the client takes, and whether it has it already.

use actix_web::http::header::{
    ACCEPT, ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, ETAG, Header as _, HeaderValue, IF_NONE_MATCH,
    VARY,
};
use actix_web::http::header::{AcceptEncoding, Encoding};
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder};

use crate::coding::Coding;

/// Asked about before each use, but by a shared cache at most once a second.
pub const FRESH: &str = "public, max-age=0, s-maxage=1, must-revalidate";

/// The best coding that both sides know.
pub fn coding(request: &HttpRequest) -> Coding {
    if !request.headers().contains_key(ACCEPT_ENCODING) {
        return Coding::Identity;
    }
    let Ok(accepted) = AcceptEncoding::parse(request) else { return Coding::Identity };
    let known = [Encoding::brotli(), Encoding::gzip(), Encoding::identity()];
    match accepted.negotiate(known.iter()) {
        Some(best) if best == Encoding::brotli() => Coding::Brotli,
        Some(best) if best == Encoding::gzip() => Coding::Gzip,
        _ => Coding::Identity,
    }
}

/// Whether the client would take this media type.
pub fn accepts(request: &HttpRequest, media_type: &str) -> bool {
    let Some(accept) = request.headers().get(ACCEPT).and_then(|accept| accept.to_str().ok()) else {
        return true;
    };
    let (family, _) = media_type.split_once('/').unwrap_or((media_type, ""));
    let matches =
        |range: &str| range == "*/*" || range == media_type || range.strip_suffix("/*") == Some(family);
    accept.split(',').any(|part| {
        let mut parameters = part.split(';').map(str::trim);
        let range = parameters.next().unwrap_or_default();
        let refused = parameters.any(|parameter| matches!(parameter, "q=0" | "q=0.0" | "q=0.00" | "q=0.000"));
        matches(range) && !refused
    })
}

/// Whether the client asks for a page to read.
pub fn wants_html(request: &HttpRequest) -> bool {
    let accept = request.headers().get(ACCEPT).and_then(|accept| accept.to_str().ok());
    accept.is_some_and(|accept| accept.contains("text/html"))
}

/// A body that may be kept as long as it is asked about: 304 when the client has it, else what `render` makes.
pub fn cached(
    request: &HttpRequest,
    etag: &str,
    coding: Coding,
    render: impl FnOnce(&mut HttpResponseBuilder) -> HttpResponse,
) -> HttpResponse {
    let mut response = if has(request, etag) { HttpResponse::NotModified() } else { HttpResponse::Ok() };
    response.insert_header((ETAG, etag));
    response.insert_header((VARY, HeaderValue::from_static("Accept-Encoding")));
    response.insert_header((CACHE_CONTROL, HeaderValue::from_static(FRESH)));
    if has(request, etag) {
        return response.finish();
    }
    if coding != Coding::Identity {
        response.insert_header((CONTENT_ENCODING, coding.name()));
    }
    render(&mut response)
}

/// RFC 9110: a weak comparison with each of the tags named.
pub fn has(request: &HttpRequest, etag: &str) -> bool {
    let lines = request.headers().get_all(IF_NONE_MATCH).filter_map(|line| line.to_str().ok());
    let mut tags = lines.flat_map(|line| line.split(',')).map(str::trim);
    tags.any(|tag| tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == etag)
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;

    #[test]
    fn tags_are_found_in_lists_and_weak_ones_too() {
        let request = |tags: &str| TestRequest::get().insert_header((IF_NONE_MATCH, tags)).to_http_request();
        for (tags, expected) in
            [("\"a\"", true), ("\"b\", \"a\"", true), ("W/\"a\"", true), ("*", true), ("\"b\"", false)]
        {
            assert_eq!(has(&request(tags), "\"a\""), expected, "{tags}");
        }
    }

    #[test]
    fn codings_follow_the_client() {
        let request =
            |codings: &str| TestRequest::get().insert_header((ACCEPT_ENCODING, codings)).to_http_request();
        assert_eq!(coding(&request("gzip, br")), Coding::Brotli);
        assert_eq!(coding(&request("gzip")), Coding::Gzip);
        assert_eq!(coding(&request("br;q=0, gzip;q=0.5")), Coding::Gzip);
        assert_eq!(coding(&TestRequest::get().to_http_request()), Coding::Identity);
    }

    #[test]
    fn media_types_match_with_wildcards() {
        let request = |accept: &str| TestRequest::get().insert_header((ACCEPT, accept)).to_http_request();
        assert!(accepts(&request("text/*"), "text/event-stream"));
        assert!(accepts(&request("text/html, */*;q=0.1"), "text/event-stream"));
        assert!(!accepts(&request("application/json"), "text/event-stream"));
        assert!(!accepts(&request("text/event-stream;q=0"), "text/event-stream"));
    }
}
