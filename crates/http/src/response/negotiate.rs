//! Content negotiation and conditional requests (RFC 9110).

use actix_web::http::header::{
    ACCEPT, ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderName, HeaderValue,
    IF_NONE_MATCH, VARY,
};
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder};
use platform::concurrency::run_blocking;
use platform::content_coding::ContentCoding;
use platform::refusal::Refusal;
use serde::Serialize;

/// The `Cache-Control` of responses that browsers revalidate on each use, and shared caches once a second.
pub const REVALIDATE_CACHE_CONTROL: &str = "public, max-age=0, s-maxage=1, must-revalidate";
/// The `Cache-Control` of the same for a caller with a key or a session: accounts may see different things.
pub const PRIVATE_CACHE_CONTROL: &str = "no-store";
/// The media type of Markdown.
pub const MARKDOWN: &str = "text/markdown; charset=utf-8";
/// The largest quality value (RFC 9110), in thousandths.
const MAX_WEIGHT: u16 = 1_000;

/// The values of an `Accept` or `Accept-Encoding` header with their weights, in thousandths.
struct QualityList(Vec<(String, u16)>);

impl QualityList {
    /// Parses a header; `None` if it is absent or empty.
    fn from_header(request: &HttpRequest, name: HeaderName) -> Option<Self> {
        let lines = request.headers().get_all(name).filter_map(|line| line.to_str().ok());
        let items: Vec<_> = lines.flat_map(|line| line.split(',')).filter_map(parse_item).collect();
        (!items.is_empty()).then_some(Self(items))
    }

    /// Returns the weight of exactly this value; the lowest one if it is repeated.
    fn weight(&self, name: &str) -> Option<u16> {
        self.0.iter().filter(|(item, _)| item == name).map(|(_, weight)| *weight).min()
    }
}

fn parse_item(part: &str) -> Option<(String, u16)> {
    let mut parameters = part.split(';').map(str::trim);
    let name = parameters.next().filter(|name| !name.is_empty())?.to_ascii_lowercase();
    let weight = parameters.find_map(|parameter| {
        let (key, value) = parameter.split_once('=')?;
        key.trim().eq_ignore_ascii_case("q").then(|| parse_weight(value.trim()))
    });
    Some((name, weight.unwrap_or(Some(MAX_WEIGHT))?))
}

/// Parses a weight, such as `0.5` or `1.000`, into thousandths.
fn parse_weight(text: &str) -> Option<u16> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let are_digits = fraction.len() <= 3 && fraction.bytes().all(|byte| byte.is_ascii_digit());
    let fraction = if are_digits { format!("{fraction:0<3}").parse().ok()? } else { return None };
    match (whole, fraction) {
        ("0", fraction) => Some(fraction),
        ("1", 0) => Some(MAX_WEIGHT),
        _ => None,
    }
}

/// Returns the best content coding that the client and the server support.
pub fn preferred_coding(request: &HttpRequest) -> ContentCoding {
    let Some(accepted) = QualityList::from_header(request, ACCEPT_ENCODING) else {
        return ContentCoding::Identity;
    };
    let wildcard_weight = accepted.weight("*");
    let weight = |coding: ContentCoding| accepted.weight(coding.name()).or(wildcard_weight).unwrap_or(0);
    let brotli = weight(ContentCoding::Brotli);
    let gzip = weight(ContentCoding::Gzip);
    let identity = accepted.weight(ContentCoding::Identity.name()).unwrap_or(0);
    match brotli.max(gzip) {
        0 => ContentCoding::Identity,
        best if identity > best => ContentCoding::Identity,
        best if brotli == best => ContentCoding::Brotli,
        _ => ContentCoding::Gzip,
    }
}

/// Returns true if the client accepts this media type. The most specific range decides.
pub fn accepts(request: &HttpRequest, media_type: &str) -> bool {
    let Some(accepted) = QualityList::from_header(request, ACCEPT) else { return true };
    let main_type = media_type.split('/').next().unwrap_or_default();
    let ranges = [media_type, &format!("{main_type}/*"), "*/*"];
    ranges.iter().find_map(|range| accepted.weight(range)).is_some_and(|weight| weight > 0)
}

/// Returns true if the client prefers Markdown to this media type, or accepts it equally.
pub fn prefers_markdown(request: &HttpRequest, other: &str) -> bool {
    let weights = QualityList::from_header(request, ACCEPT)
        .map(|accepted| ["text/markdown", other].map(|name| accepted.weight(name).unwrap_or(0)));
    weights.is_some_and(|[markdown, other]| markdown > 0 && markdown >= other)
}

/// Returns true if the client accepts HTML explicitly.
pub fn wants_html(request: &HttpRequest) -> bool {
    QualityList::from_header(request, ACCEPT)
        .and_then(|accepted| accepted.weight("text/html"))
        .is_some_and(|weight| weight > 0)
}

/// Responds with 304 if the client has the body with this tag, or else with the body from `render`. Caches
/// can store the response, but must revalidate it.
pub fn revalidated(
    request: &HttpRequest,
    etag: &str,
    coding: ContentCoding,
    render: impl FnOnce(&mut HttpResponseBuilder) -> HttpResponse,
) -> HttpResponse {
    cacheable(request, etag, coding, REVALIDATE_CACHE_CONTROL, render)
}

/// Returns 304 if the client has the body with this tag. The tag is computed only if the request has one.
pub fn not_modified(
    request: &HttpRequest,
    coding: ContentCoding,
    etag: impl FnOnce() -> String,
) -> Option<HttpResponse> {
    let is_conditional = request.headers().contains_key(IF_NONE_MATCH);
    let etag = is_conditional.then(etag).filter(|etag| if_none_match(request, etag))?;
    Some(revalidated(request, &etag, coding, |response| response.finish()))
}

/// Responds like [`revalidated`], with another `Cache-Control`.
pub fn cacheable(
    request: &HttpRequest,
    etag: &str,
    coding: ContentCoding,
    cache_control: &'static str,
    render: impl FnOnce(&mut HttpResponseBuilder) -> HttpResponse,
) -> HttpResponse {
    let is_unchanged = if_none_match(request, etag);
    let mut response = if is_unchanged { HttpResponse::NotModified() } else { HttpResponse::Ok() };
    response.insert_header((ETAG, etag));
    response.insert_header((VARY, HeaderValue::from_static("Accept-Encoding")));
    response.insert_header((CACHE_CONTROL, HeaderValue::from_static(cache_control)));
    if is_unchanged {
        return response.finish();
    }
    if coding != ContentCoding::Identity {
        response.insert_header((CONTENT_ENCODING, coding.name()));
    }
    render(&mut response)
}

/// Responds with JSON for this request only, compressed if the client accepts it. Long bodies take too much
/// time for a request thread.
///
/// # Errors
/// `internal_error` if the compression fails.
pub async fn compressed_json(
    request: &HttpRequest,
    json: impl Serialize + Send + 'static,
) -> Result<HttpResponse, Refusal> {
    let coding = preferred_coding(request);
    let encode = move || coding.encode(serde_json::to_vec(&json)?);
    let body = run_blocking("compressing JSON", encode).await?;
    let mut response = HttpResponse::Ok();
    response.insert_header((VARY, HeaderValue::from_static("Accept-Encoding")));
    if coding != ContentCoding::Identity {
        response.insert_header((CONTENT_ENCODING, coding.name()));
    }
    response.insert_header((CONTENT_TYPE, HeaderValue::from_static("application/json")));
    Ok(response.body(body))
}

/// Returns true if `If-None-Match` contains the tag, by weak comparison (RFC 9110).
pub fn if_none_match(request: &HttpRequest, etag: &str) -> bool {
    let lines = request.headers().get_all(IF_NONE_MATCH).filter_map(|line| line.to_str().ok());
    let mut tags = lines.flat_map(|line| line.split(',')).map(str::trim);
    tags.any(|tag| tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == etag)
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;
    use proptest::collection::vec;
    use proptest::prelude::*;

    #[test]
    fn if_none_match_accepts_lists_and_weak_tags() {
        let request = |tags: &str| TestRequest::get().insert_header((IF_NONE_MATCH, tags)).to_http_request();
        for (tags, expected) in
            [("\"a\"", true), ("\"b\", \"a\"", true), ("W/\"a\"", true), ("*", true), ("\"b\"", false)]
        {
            assert_eq!(if_none_match(&request(tags), "\"a\""), expected, "{tags}");
        }
    }

    #[test]
    fn client_preference_decides_the_coding() {
        let request =
            |codings: &str| TestRequest::get().insert_header((ACCEPT_ENCODING, codings)).to_http_request();
        assert_eq!(preferred_coding(&request("gzip, br")), ContentCoding::Brotli);
        assert_eq!(preferred_coding(&request("gzip")), ContentCoding::Gzip);
        assert_eq!(preferred_coding(&request("br;q=0, gzip;q=0.5")), ContentCoding::Gzip);
        assert_eq!(preferred_coding(&TestRequest::get().to_http_request()), ContentCoding::Identity);
    }

    #[test]
    fn media_types_match_with_wildcards() {
        let request = |accept: &str| TestRequest::get().insert_header((ACCEPT, accept)).to_http_request();
        assert!(accepts(&request("text/*"), "text/event-stream"));
        assert!(accepts(&request("text/html, */*;q=0.1"), "text/event-stream"));
        assert!(!accepts(&request("application/json"), "text/event-stream"));
        assert!(!accepts(&request("text/event-stream;q=0"), "text/event-stream"));
    }

    #[test]
    fn weights_have_three_digits_at_most() {
        let cases = [
            ("0", Some(0)),
            ("1", Some(1_000)),
            ("0.5", Some(500)),
            ("0.001", Some(1)),
            ("1.000", Some(1_000)),
        ];
        for (text, expected) in cases {
            assert_eq!(parse_weight(text), expected, "{text}");
        }
        for wrong in ["", "1.001", "2", "-0", "+1", "0.0001", ".5", "1e0", "0.5x", "½"] {
            assert_eq!(parse_weight(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn most_specific_range_decides_case_insensitively() {
        let request = |accept: &str| TestRequest::get().insert_header((ACCEPT, accept)).to_http_request();
        assert!(!accepts(&request("text/event-stream;q=0, */*"), "text/event-stream"));
        assert!(!accepts(&request("*/*, text/*;Q=0.0"), "text/event-stream"));
        assert!(accepts(&request("Text/Event-Stream;charset=utf-8"), "text/event-stream"));
        assert!(accepts(&request(""), "text/event-stream"));
        assert!(!wants_html(&request("text/html;q=0")) && !wants_html(&request("*/*")));
        let wants_markdown = |accept| prefers_markdown(&request(accept), "application/json");
        assert!(wants_markdown("text/markdown, */*;q=0.5") && !wants_markdown("text/*"));
        assert!(!wants_markdown("text/markdown;q=0.5, application/json"));
        let lines =
            TestRequest::get().append_header((ACCEPT, "image/png")).append_header((ACCEPT, "text/html"));
        assert!(wants_html(&lines.to_http_request()));
    }

    fn header_value(items: &[(&str, u16)]) -> String {
        let format_item =
            |(name, weight): &(&str, u16)| format!("{name} ; q={}.{:03}", weight / 1_000, weight % 1_000);
        items.iter().map(format_item).collect::<Vec<_>>().join(" , ")
    }

    proptest! {
        #[test]
        fn any_header_value_is_handled(value in vec(any::<u8>(), 0..60), media in "[a-z]{0,5}/?[a-z]{0,5}") {
            let Ok(value) = HeaderValue::from_bytes(&value) else { return Ok(()) };
            for name in [ACCEPT, ACCEPT_ENCODING, IF_NONE_MATCH] {
                let request = TestRequest::get().insert_header((name, value.clone())).to_http_request();
                let _ = (
                    preferred_coding(&request),
                    accepts(&request, &media),
                    wants_html(&request),
                    if_none_match(&request, "\"a\""),
                );
            }
        }

        #[test]
        fn the_coding_with_the_highest_weight_is_chosen(
            wishes in vec(
                (prop::sample::select(vec!["br", "gzip", "identity", "*", "zstd"]), 0_u16..=1_000),
                1..6,
            )
        ) {
            let header = header_value(&wishes);
            let request = TestRequest::get().insert_header((ACCEPT_ENCODING, header)).to_http_request();
            let weight = |name: &str| {
                wishes.iter().filter(|(wish, _)| *wish == name).map(|(_, weight)| *weight).min()
            };
            let weight_or_default = |name: &str| weight(name).or(weight("*")).unwrap_or(0);
            let chosen = preferred_coding(&request);
            if chosen == ContentCoding::Identity {
                let best = weight_or_default("br").max(weight_or_default("gzip"));
                prop_assert!(best == 0 || weight("identity").is_some_and(|plain| plain > best));
            } else {
                let chosen = weight_or_default(chosen.name());
                prop_assert!(
                    chosen > 0 && chosen >= weight_or_default("br") && chosen >= weight_or_default("gzip")
                );
            }
        }

        #[test]
        fn etag_is_found_at_any_position(
            others in vec("[a-z0-9-]{1,9}", 0..5), place in 0_usize..5, weak: bool
        ) {
            let mut tags: Vec<_> = others.iter().map(|tag| format!("\"{tag}\"")).collect();
            let request = |tags: &[String]| {
                TestRequest::get().insert_header((IF_NONE_MATCH, tags.join(", "))).to_http_request()
            };
            prop_assert!(!if_none_match(&request(&tags), "\"Ours\""));
            let own: String = if weak { "W/\"Ours\"".into() } else { "\"Ours\"".to_owned() };
            tags.insert(place.min(tags.len()), own);
            prop_assert!(if_none_match(&request(&tags), "\"Ours\""));
        }
    }
}
