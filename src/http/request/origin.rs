//! Where a request that changes something was made: on a page of ours, or elsewhere.

use actix_web::HttpRequest;
use actix_web::http::header::{HOST, HeaderName, ORIGIN};

use crate::http::response::codes::Code;
use crate::http::response::problem::Problem;

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// What the browser says of where a request was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestOrigin {
    SameOrigin,
    CrossOrigin,
    /// Browsers of today say it; other clients need not.
    NotStated,
}

/// Where a request to a server at this address was made.
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

/// Refuses what was made elsewhere.
pub fn cross_origin_problem() -> Problem {
    Problem::new(Code::Forbidden, "This was sent from a page that is none of ours.")
        .hint("Open the page here and send it from there.")
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
}
