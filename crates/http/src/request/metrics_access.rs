//! Access control of `/metrics`.

use actix_web::HttpRequest;
use actix_web::http::header::{AUTHORIZATION, FORWARDED, HeaderName, VIA, X_FORWARDED_FOR};
use platform::config::NetworkSettings;
use platform::refusal::codes::Code;

use super::address::{self, TrustedProxies};
use crate::response::problem::Problem;

/// The headers that proxies add to requests.
const PROXY_HEADERS: [HeaderName; 4] =
    [FORWARDED, VIA, X_FORWARDED_FOR, HeaderName::from_static("x-real-ip")];

/// The access rules of `/metrics`.
pub struct MetricsAccess {
    /// The hash of the required token, if any.
    token: Option<blake3::Hash>,
    /// True if `/metrics` has its own listener, and so is not on the main one.
    has_own_listener: bool,
}

impl MetricsAccess {
    /// Returns the access rules of the settings.
    pub fn new(network: &NetworkSettings) -> Self {
        let token = network.metrics_token.as_ref().map(|token| blake3::hash(token.expose().as_bytes()));
        Self { token, has_own_listener: network.metrics_listen.is_some() }
    }

    /// Checks that a request may read the metrics: it needs the token if one is set; or else it must use the
    /// metrics listener if there is one; or else it must come from this machine.
    ///
    /// # Errors
    /// `key_missing`, `key_invalid` or `forbidden`.
    pub fn check(&self, request: &HttpRequest, proxies: &TrustedProxies) -> Result<(), Problem> {
        match &self.token {
            Some(token) => check_token(request, token),
            None if self.has_own_listener => Ok(()),
            None => check_local(request, proxies),
        }
    }
}

/// Checks the token. Comparing hashes takes constant time.
fn check_token(request: &HttpRequest, token: &blake3::Hash) -> Result<(), Problem> {
    let hint = "Send Authorization: Bearer with the token in CARAPLACE_METRICS_TOKEN.";
    let Some(header) = request.headers().get(AUTHORIZATION) else {
        return Err(
            Problem::new(Code::KeyMissing, "The metrics are only for operators of this server.").hint(hint)
        );
    };
    let (scheme, sent_token) = header.to_str().ok().and_then(|text| text.split_once(' ')).unwrap_or_default();
    if scheme.eq_ignore_ascii_case("bearer") && blake3::hash(sent_token.trim().as_bytes()) == *token {
        return Ok(());
    }
    Err(Problem::new(Code::KeyInvalid, "Wrong token for the metrics.").hint(hint))
}

/// Checks that the client is on this machine. A proxy on this machine has a local address, too, so proxied
/// requests are refused, unless the proxy is trusted and `X-Forwarded-For` names a local client.
fn check_local(request: &HttpRequest, proxies: &TrustedProxies) -> Result<(), Problem> {
    let peer = address::peer_address(request);
    let headers = request.headers();
    let is_proxied = PROXY_HEADERS.iter().any(|name| headers.contains_key(name));
    // If the proxy's own header or the hops are missing, the client address found is the proxy's, which
    // proves nothing.
    let has_trusted_hops =
        proxies.contains(&peer) && !proxies.has_client_ip_header() && headers.contains_key(X_FORWARDED_FOR);
    let is_local = peer.is_loopback()
        && address::client_address(request, proxies).is_loopback()
        && (has_trusted_hops || !is_proxied);
    if is_local {
        return Ok(());
    }
    Err(Problem::new(Code::Forbidden, "The metrics can only be read from the server's own machine.")
        .hint("If you run this server, set CARAPLACE_METRICS_LISTEN or CARAPLACE_METRICS_TOKEN."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;
    use platform::config::Config;

    const TOKEN: &str = "0123456789abcdef";

    fn code(settings: &[(&str, &str)], peer: &str, headers: &[(&'static str, &str)]) -> Option<Code> {
        let value = |name: &str| settings.iter().find(|(known, _)| *known == name);
        let config = Config::read(|name| value(name).map(|(_, value)| (*value).to_owned())).unwrap();
        let mut request = TestRequest::default().peer_addr(peer.parse().unwrap());
        for header in headers {
            request = request.append_header(*header);
        }
        let header = config.network.client_ip_header.as_deref().map(|name| name.parse().unwrap());
        let proxies = TrustedProxies::new(config.trusted_proxies, header);
        let access = MetricsAccess::new(&config.network);
        access.check(&request.to_http_request(), &proxies).err().map(|problem| problem.code)
    }

    #[test]
    fn without_settings_only_local_clients_may_read() {
        let local_proxy = [("CARAPLACE_TRUSTED_PROXIES", "127.0.0.0/8")];
        for peer in ["127.0.0.1:1", "[::1]:1", "[::ffff:127.0.0.1]:1"] {
            assert_eq!(code(&[], peer, &[]), None, "{peer}");
        }
        for peer in ["192.0.2.1:1", "10.0.0.1:1", "[2001:db8::1]:1", "[::ffff:192.0.2.1]:1"] {
            assert_eq!(code(&[], peer, &[]), Some(Code::Forbidden), "{peer}");
        }
        for header_name in ["forwarded", "via", "x-forwarded-for", "x-real-ip"] {
            let headers = [(header_name, "127.0.0.1")];
            assert_eq!(
                code(&[], "127.0.0.1:1", &headers),
                Some(Code::Forbidden),
                "an untrusted proxy: {header_name}"
            );
        }
        assert_eq!(code(&local_proxy, "127.0.0.1:1", &[]), None);
        let proxied = [("x-forwarded-for", "127.0.0.1, 192.0.2.1")];
        assert_eq!(code(&local_proxy, "127.0.0.1:1", &proxied), Some(Code::Forbidden));
        assert_eq!(
            code(&local_proxy, "127.0.0.1:1", &[("x-forwarded-for", "rubbish")]),
            Some(Code::Forbidden)
        );
        let spoofed = [("x-forwarded-for", "127.0.0.1")];
        assert_eq!(
            code(&[("CARAPLACE_TRUSTED_PROXIES", "192.0.2.1")], "192.0.2.1:1", &spoofed),
            Some(Code::Forbidden)
        );
    }

    #[test]
    fn local_proxy_without_client_address_grants_no_access() {
        let hops = [("CARAPLACE_TRUSTED_PROXIES", "127.0.0.0/8")];
        let own_header = [hops[0], ("CARAPLACE_CLIENT_IP_HEADER", "Fly-Client-IP")];
        let read = |settings: &[(&str, &str)], headers: &[(&'static str, &str)]| {
            code(settings, "127.0.0.1:1", headers).is_none()
        };
        assert!(read(&own_header, &[]), "a request without a proxy");
        assert!(!read(&own_header, &[("fly-client-ip", "192.0.2.1")]));
        for header_name in ["forwarded", "via", "x-forwarded-for", "x-real-ip"] {
            for value in ["127.0.0.1", "192.0.2.1"] {
                assert!(!read(&own_header, &[(header_name, value)]), "{header_name}: {value}");
                let spoofed = [("fly-client-ip", "127.0.0.1"), (header_name, value)];
                assert!(
                    !read(&own_header, &spoofed),
                    "the client itself sent the header, {header_name}: {value}"
                );
            }
        }
        for header_name in ["forwarded", "via", "x-real-ip"] {
            assert!(!read(&hops, &[(header_name, "192.0.2.1")]), "{header_name} without X-Forwarded-For");
        }
        assert!(read(&hops, &[("x-forwarded-for", "127.0.0.1")]), "a local caller");
    }

    #[test]
    fn configured_token_is_required_from_everyone() {
        let settings = [("CARAPLACE_METRICS_TOKEN", TOKEN)];
        let with = |value: &str| code(&settings, "127.0.0.1:1", &[("authorization", value)]);
        assert_eq!(code(&settings, "127.0.0.1:1", &[]), Some(Code::KeyMissing));
        assert_eq!(with(&format!("Bearer {TOKEN}")), None);
        assert_eq!(with(&format!("bearer  {TOKEN} ")), None);
        for wrong in [
            "",
            "Bearer",
            "Bearer ",
            TOKEN,
            "Basic 0123456789abcdef",
            "Bearer 0123456789abcdee",
            "Bearer 0123456789abcdef0",
        ] {
            assert_eq!(with(wrong), Some(Code::KeyInvalid), "{wrong}");
        }
        let both = [settings[0], ("CARAPLACE_METRICS_LISTEN", "127.0.0.1:0")];
        assert_eq!(code(&both, "127.0.0.1:1", &[]), Some(Code::KeyMissing), "also on the metrics listener");
    }
}
