//! What form of a body the client takes, and whether it has it already.

use actix_web::http::header::{
    ACCEPT, ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderName, HeaderValue,
    IF_NONE_MATCH, VARY,
};
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder};
use serde::Serialize;

use crate::coding::Coding;

/// Asked about before each use, but by a shared cache at most once a second.
pub const FRESH: &str = "public, max-age=0, s-maxage=1, must-revalidate";
/// Thousandths, as RFC 9110 has them.
const FULL_WEIGHT: u16 = 1_000;

/// What a client would take, each with its weight.
struct Wishes(Vec<(String, u16)>);

impl Wishes {
    /// As a header's lines say; none without the header, or where it says nothing.
    fn of(request: &HttpRequest, name: HeaderName) -> Option<Self> {
        let lines = request.headers().get_all(name).filter_map(|line| line.to_str().ok());
        let wishes: Vec<_> = lines.flat_map(|line| line.split(',')).filter_map(wish).collect();
        (!wishes.is_empty()).then_some(Self(wishes))
    }

    /// The weight of exactly this; should it stand there twice, the lower one.
    fn weight(&self, name: &str) -> Option<u16> {
        self.0.iter().filter(|(wish, _)| wish == name).map(|(_, weight)| *weight).min()
    }
}

fn wish(part: &str) -> Option<(String, u16)> {
    let mut parameters = part.split(';').map(str::trim);
    let name = parameters.next().filter(|name| !name.is_empty())?.to_ascii_lowercase();
    let weight = parameters.find_map(|parameter| {
        let (key, value) = parameter.split_once('=')?;
        key.trim().eq_ignore_ascii_case("q").then(|| thousandths(value.trim()))
    });
    Some((name, weight.unwrap_or(Some(FULL_WEIGHT))?))
}

/// A weight as it is written: a digit, and up to three behind a point.
fn thousandths(text: &str) -> Option<u16> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = fraction.len() <= 3 && fraction.bytes().all(|byte| byte.is_ascii_digit());
    let fraction = if digits { format!("{fraction:0<3}").parse().ok()? } else { return None };
    match (whole, fraction) {
        ("0", fraction) => Some(fraction),
        ("1", 0) => Some(FULL_WEIGHT),
        _ => None,
    }
}

/// The best coding that both sides know.
pub fn coding(request: &HttpRequest) -> Coding {
    let Some(wishes) = Wishes::of(request, ACCEPT_ENCODING) else { return Coding::Identity };
    let other = wishes.weight("*");
    let weight = |coding: Coding| wishes.weight(coding.name()).or(other).unwrap_or(0);
    let (brotli, gzip) = (weight(Coding::Brotli), weight(Coding::Gzip));
    let plain = wishes.weight(Coding::Identity.name()).unwrap_or(0);
    match brotli.max(gzip) {
        0 => Coding::Identity,
        best if plain > best => Coding::Identity,
        best if brotli == best => Coding::Brotli,
        _ => Coding::Gzip,
    }
}

/// Whether the client would take this media type; the range that says most of it decides.
pub fn accepts(request: &HttpRequest, media_type: &str) -> bool {
    let Some(wishes) = Wishes::of(request, ACCEPT) else { return true };
    let family = media_type.split('/').next().unwrap_or_default();
    let ranges = [media_type, &format!("{family}/*"), "*/*"];
    ranges.iter().find_map(|range| wishes.weight(range)).is_some_and(|weight| weight > 0)
}

/// Whether the client asks for markdown, at least as much as for JSON.
pub fn wants_markdown(request: &HttpRequest) -> bool {
    let weights = Wishes::of(request, ACCEPT)
        .map(|wishes| ["text/markdown", "application/json"].map(|name| wishes.weight(name).unwrap_or(0)));
    weights.is_some_and(|[markdown, json]| markdown > 0 && markdown >= json)
}

/// Whether the client asks for a page to read.
pub fn wants_html(request: &HttpRequest) -> bool {
    Wishes::of(request, ACCEPT).and_then(|wishes| wishes.weight("text/html")).is_some_and(|weight| weight > 0)
}

/// A body that may be kept as long as it is asked about: 304 when the client has it, else what `render` makes.
pub fn cached(
    request: &HttpRequest,
    etag: &str,
    coding: Coding,
    render: impl FnOnce(&mut HttpResponseBuilder) -> HttpResponse,
) -> HttpResponse {
    kept(request, etag, coding, FRESH, render)
}

/// Returns 304 if the client has the body of this tag, which is computed only if the client names any.
pub fn not_modified(
    request: &HttpRequest,
    coding: Coding,
    etag: impl FnOnce() -> String,
) -> Option<HttpResponse> {
    let is_asked = request.headers().contains_key(IF_NONE_MATCH);
    let etag = is_asked.then(etag).filter(|etag| has(request, etag))?;
    Some(cached(request, &etag, coding, |response| response.finish()))
}

/// The same as [`cached`], for a body with this `Cache-Control`.
pub fn kept(
    request: &HttpRequest,
    etag: &str,
    coding: Coding,
    how_long: &'static str,
    render: impl FnOnce(&mut HttpResponseBuilder) -> HttpResponse,
) -> HttpResponse {
    let known = has(request, etag);
    let mut response = if known { HttpResponse::NotModified() } else { HttpResponse::Ok() };
    response.insert_header((ETAG, etag));
    response.insert_header((VARY, HeaderValue::from_static("Accept-Encoding")));
    response.insert_header((CACHE_CONTROL, HeaderValue::from_static(how_long)));
    if known {
        return response.finish();
    }
    if coding != Coding::Identity {
        response.insert_header((CONTENT_ENCODING, coding.name()));
    }
    render(&mut response)
}

/// JSON that was written for this request alone, in the coding that its client takes.
///
/// # Errors
/// When it cannot be compressed.
pub fn packed(request: &HttpRequest, json: &impl Serialize) -> std::io::Result<HttpResponse> {
    let coding = coding(request);
    let body = coding.encode(serde_json::to_vec(json)?)?;
    let mut response = HttpResponse::Ok();
    response.insert_header((VARY, HeaderValue::from_static("Accept-Encoding")));
    if coding != Coding::Identity {
        response.insert_header((CONTENT_ENCODING, coding.name()));
    }
    response.insert_header((CONTENT_TYPE, HeaderValue::from_static("application/json")));
    Ok(response.body(body))
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
    use proptest::collection::vec;
    use proptest::prelude::*;

    #[test]
    fn if_none_match_accepts_lists_and_weak_tags() {
        let request = |tags: &str| TestRequest::get().insert_header((IF_NONE_MATCH, tags)).to_http_request();
        for (tags, expected) in
            [("\"a\"", true), ("\"b\", \"a\"", true), ("W/\"a\"", true), ("*", true), ("\"b\"", false)]
        {
            assert_eq!(has(&request(tags), "\"a\""), expected, "{tags}");
        }
    }

    #[test]
    fn client_preference_decides_the_coding() {
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
            assert_eq!(thousandths(text), expected, "{text}");
        }
        for wrong in ["", "1.001", "2", "-0", "+1", "0.0001", ".5", "1e0", "0.5x", "½"] {
            assert_eq!(thousandths(wrong), None, "{wrong}");
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
        assert!(wants_markdown(&request("text/markdown, */*;q=0.5")) && !wants_markdown(&request("text/*")));
        assert!(!wants_markdown(&request("text/markdown;q=0.5, application/json")));
        let lines =
            TestRequest::get().append_header((ACCEPT, "image/png")).append_header((ACCEPT, "text/html"));
        assert!(wants_html(&lines.to_http_request()));
    }

    fn written(wishes: &[(&str, u16)]) -> String {
        let one =
            |(name, weight): &(&str, u16)| format!("{name} ; q={}.{:03}", weight / 1_000, weight % 1_000);
        wishes.iter().map(one).collect::<Vec<_>>().join(" , ")
    }

    proptest! {
        #[test]
        fn any_header_value_is_handled(value in vec(any::<u8>(), 0..60), media in "[a-z]{0,5}/?[a-z]{0,5}") {
            let Ok(value) = HeaderValue::from_bytes(&value) else { return Ok(()) };
            for name in [ACCEPT, ACCEPT_ENCODING, IF_NONE_MATCH] {
                let request = TestRequest::get().insert_header((name, value.clone())).to_http_request();
                let _ = (coding(&request), accepts(&request, &media), wants_html(&request), has(&request, "\"a\""));
            }
        }

        #[test]
        fn the_coding_with_the_highest_weight_is_chosen(
            wishes in vec((prop::sample::select(vec!["br", "gzip", "identity", "*", "zstd"]), 0_u16..=1_000), 1..6)
        ) {
            let header = written(&wishes);
            let request = TestRequest::get().insert_header((ACCEPT_ENCODING, header)).to_http_request();
            let weight = |name: &str| wishes.iter().filter(|(wish, _)| *wish == name).map(|(_, weight)| *weight).min();
            let packed = |name: &str| weight(name).or(weight("*")).unwrap_or(0);
            let chosen = coding(&request);
            if chosen == Coding::Identity {
                let best = packed("br").max(packed("gzip"));
                prop_assert!(best == 0 || weight("identity").is_some_and(|plain| plain > best));
            } else {
                let chosen = packed(chosen.name());
                prop_assert!(chosen > 0 && chosen >= packed("br") && chosen >= packed("gzip"));
            }
        }

        #[test]
        fn etag_is_found_at_any_position(others in vec("[a-z0-9-]{1,9}", 0..5), place in 0_usize..5, weak: bool) {
            let mut tags: Vec<_> = others.iter().map(|tag| format!("\"{tag}\"")).collect();
            let request = |tags: &[String]| TestRequest::get().insert_header((IF_NONE_MATCH, tags.join(", "))).to_http_request();
            prop_assert!(!has(&request(&tags), "\"Ours\""));
            tags.insert(place.min(tags.len()), if weak { "W/\"Ours\"".into() } else { "\"Ours\"".to_owned() });
            prop_assert!(has(&request(&tags), "\"Ours\""));
        }
    }
}
