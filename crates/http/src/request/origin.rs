//! Determines from `Sec-Fetch-Site` or `Origin` if a request comes from our own pages or from another site.

use actix_web::HttpRequest;
use actix_web::http::header::{HOST, HeaderName, ORIGIN};
use platform::refusal::codes::Code;

use crate::response::problem::Problem;

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The origin of a request, as the browser reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestOrigin {
    SameOrigin,
    CrossOrigin,
    /// No origin was sent. Current browsers always send it; other clients need not.
    NotStated,
}

/// Returns the origin of a request to a server with this public URL.
pub fn request_origin(request: &HttpRequest, base_url: &str) -> RequestOrigin {
    let header = |name| request.headers().get(name).map(|value| value.to_str().unwrap_or("?"));
    if let Some(site) = header(SEC_FETCH_SITE) {
        return if site == "same-origin" { RequestOrigin::SameOrigin } else { RequestOrigin::CrossOrigin };
    }
    let Some(origin) = header(ORIGIN) else { return RequestOrigin::NotStated };
    let host = origin.split_once("://").map(|(_, host)| host);
    let is_own = origin == base_url || (host.is_some() && host == header(HOST));
    if is_own { RequestOrigin::SameOrigin } else { RequestOrigin::CrossOrigin }
}

/// Returns true if a page of another site has sent a request, or may have. An address that was typed in is no
/// such page. Cookies count for nothing then, although browsers send them when a link is followed.
pub fn is_sent_by_other_site(request: &HttpRequest, base_url: &str) -> bool {
    let is_typed_in = request.headers().get(SEC_FETCH_SITE).is_some_and(|site| site == "none");
    !is_typed_in && request_origin(request, base_url) == RequestOrigin::CrossOrigin
}

/// Returns the refusal of a request from another site.
pub fn cross_origin_problem() -> Problem {
    Problem::new(Code::Forbidden, "This request was sent from a page of another site.")
        .hint("Open the page on this server, and send it from there.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;

    #[test]
    fn only_own_pages_are_same_origin() {
        let origin_of = |headers: &[(&'static str, &'static str)]| {
            let request =
                headers.iter().fold(TestRequest::post(), |request, header| request.insert_header(*header));
            request_origin(&request.to_http_request(), "https://example.com")
        };
        assert_eq!(origin_of(&[]), RequestOrigin::NotStated);
        for headers in [
            &[("sec-fetch-site", "same-origin"), ("origin", "null")][..],
            &[("origin", "https://example.com")],
            &[("origin", "http://127.0.0.1:8080"), ("host", "127.0.0.1:8080")],
        ] {
            assert_eq!(origin_of(headers), RequestOrigin::SameOrigin, "{headers:?}");
        }
        for headers in [
            &[("sec-fetch-site", "cross-site"), ("origin", "https://example.com")][..],
            &[("sec-fetch-site", "same-site")],
            &[("sec-fetch-site", "none")],
            &[("sec-fetch-site", "")],
            &[("origin", "null")],
            &[("origin", "")],
            &[("origin", "example.com"), ("host", "example.com")],
            &[("origin", "http://example.com")],
            &[("origin", "http://127.0.0.1:80801"), ("host", "127.0.0.1:8080")],
            &[("origin", "https://example.com.evil.test"), ("host", "example.com")],
            &[("origin", "https://evil.test"), ("host", "example.com")],
        ] {
            assert_eq!(origin_of(headers), RequestOrigin::CrossOrigin, "{headers:?}");
        }
    }

    #[test]
    fn an_address_that_was_typed_in_is_of_no_other_site() {
        for (site, expected) in
            [("none", false), ("same-origin", false), ("same-site", true), ("cross-site", true)]
        {
            let request = TestRequest::get().insert_header(("sec-fetch-site", site)).to_http_request();
            assert_eq!(is_sent_by_other_site(&request, "https://example.com"), expected, "{site}");
        }
        let program = TestRequest::get().to_http_request();
        assert!(!is_sent_by_other_site(&program, "https://example.com"));
    }
}
