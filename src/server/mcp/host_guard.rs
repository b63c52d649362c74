//! Guards `/mcp` against DNS rebinding by checking `Host`, and recognises calls by pages of other sites.
//!
//! A page whose host name was rebound to this server sends that name as `Host`, and it is not a host of this
//! server. Pages of any origin may call the published host, as they may use public reads, because cookies do
//! not count here. The other hosts of this server are for programs on its machine: there it answers only its
//! own pages and those of developer tools.

use std::net::{IpAddr, SocketAddr};

use actix_web::HttpRequest;
use actix_web::http::Uri;
use actix_web::http::header::{HOST, HeaderName, ORIGIN};
use actix_web::http::uri::Authority;
use caraplace_http::response::problem::Problem;
use platform::refusal::codes::Code;

/// The page that a request was sent from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallingPage {
    /// None, or one of this server or this machine.
    OwnOrNone,
    /// A page of another site.
    OtherSite,
}

/// The host names of this server.
pub struct HostGuard {
    public_url: Option<Uri>,
    listen_ip: IpAddr,
}

impl HostGuard {
    /// Returns the guard of a server with this public URL and listener.
    pub fn new(base_url: &str, listen: SocketAddr) -> Self {
        Self { public_url: base_url.parse().ok(), listen_ip: listen.ip() }
    }

    /// Checks that a request names this server as its host, and returns the page that has sent it.
    ///
    /// # Errors
    /// `forbidden` for another host, and for a page of another site at a host that is not the published one.
    pub fn check(&self, request: &HttpRequest) -> Result<CallingPage, Problem> {
        let host = single_header(request, &HOST).and_then(|host| host.parse::<Authority>().ok());
        let host = host.filter(|host| self.is_own_host(host.host())).ok_or_else(|| {
            let detail = "The Host header is neither this server's public host nor this machine.";
            Problem::new(Code::Forbidden, detail).hint("Use the URL in /skill.md.")
        })?;
        let from_a_page = request.headers().contains_key(ORIGIN);
        if !from_a_page
            || single_header(request, &ORIGIN).is_some_and(|origin| self.is_own_origin(origin, &host))
        {
            return Ok(CallingPage::OwnOrNone);
        }
        if self.is_published_host(host.host()) {
            return Ok(CallingPage::OtherSite);
        }
        let detail = "The Origin header is that of another site.";
        let hint = "Call the URL in /skill.md, or call this one from a program.";
        Err(Problem::new(Code::Forbidden, detail).hint(hint))
    }

    fn is_own_host(&self, host: &str) -> bool {
        let is_listen_address = |address: IpAddr| address == self.listen_ip;
        is_loopback(host) || self.is_published_host(host) || parse_ip(host).is_some_and(is_listen_address)
    }

    fn is_published_host(&self, host: &str) -> bool {
        let public = self.public_url.as_ref().and_then(Uri::host);
        public.is_some_and(|public| public.eq_ignore_ascii_case(host))
    }

    /// Returns true for our own pages, and for pages on this machine with any port, for developer tools.
    fn is_own_origin(&self, origin: &str, host: &Authority) -> bool {
        let Ok(origin) = origin.parse::<Uri>() else { return false };
        let (Some(scheme), Some(authority)) = (origin.scheme_str(), origin.authority()) else { return false };
        let is_same_origin =
            |uri: &Uri| uri.scheme_str() == Some(scheme) && uri.authority() == Some(authority);
        matches!(scheme, "http" | "https")
            && (is_loopback(authority.host())
                || authority == host
                || self.public_url.as_ref().is_some_and(is_same_origin))
    }
}

/// Returns a header as text; `None` if it is absent or repeated.
fn single_header<'a>(request: &'a HttpRequest, name: &HeaderName) -> Option<&'a str> {
    let mut values = request.headers().get_all(name);
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

fn parse_ip(host: &str) -> Option<IpAddr> {
    host.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost") || parse_ip(host).is_some_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;

    fn check(host: &str, origin: Option<&str>) -> Option<CallingPage> {
        let guard = HostGuard::new("https://cara.example", "192.0.2.7:8080".parse().unwrap());
        let mut request = TestRequest::post().insert_header((HOST, host));
        if let Some(origin) = origin {
            request = request.insert_header((ORIGIN, origin));
        }
        guard.check(&request.to_http_request()).ok()
    }

    #[test]
    fn accepts_only_own_hosts() {
        for host in
            ["cara.example", "CARA.example:443", "localhost", "LOCALHOST:1", "127.0.0.1:8080", "[::1]:9"]
        {
            assert_eq!(check(host, None), Some(CallingPage::OwnOrNone), "{host}");
        }
        assert!(check("192.0.2.7:8080", None).is_some());
        for host in [
            "evil.example",
            "cara.example.evil.example",
            "192.0.2.8",
            "",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "0.0.0.0",
            "a@localhost.example",
        ] {
            assert!(check(host, None).is_none(), "{host}");
            // A rebound page has its own host as origin.
            assert!(check(host, Some(&format!("http://{host}"))).is_none(), "{host}");
        }
    }

    #[test]
    fn pages_of_other_sites_call_only_the_published_host() {
        for origin in
            ["https://cara.example", "http://localhost:6274", "http://127.0.0.1:3000", "http://[::1]"]
        {
            assert_eq!(check("cara.example", Some(origin)), Some(CallingPage::OwnOrNone), "{origin}");
        }
        assert_eq!(check("192.0.2.7:8080", Some("http://192.0.2.7:8080")), Some(CallingPage::OwnOrNone));
        for origin in [
            "null",
            "",
            "http://evil.example",
            "https://cara.example.evil.example",
            "http://cara.example:81",
            "https://localhost.evil.example",
            "file://",
            "chrome-extension://localhost",
        ] {
            assert_eq!(check("cara.example", Some(origin)), Some(CallingPage::OtherSite), "{origin}");
            for host in ["localhost:8080", "127.0.0.1:8080", "192.0.2.7:8080"] {
                assert_eq!(check(host, Some(origin)), None, "{host} {origin}");
            }
        }
    }
}
