//! Redirect URIs: the addresses to which a person is sent back with a code (OAuth 2.1, RFC 8252).

use std::borrow::Cow;
use std::net::IpAddr;

/// The longest redirect URI, in bytes.
const MAX_BYTES: usize = 1_000;
/// Private schemes without a domain name that known clients use. RFC 8252 wants a domain name in reverse.
const KNOWN_SCHEMES: [&str; 6] = ["cursor", "vscode", "vscode-insiders", "windsurf", "claude", "zed"];

/// A valid redirect URI: https, http on this machine, or a scheme that belongs to an app.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedirectUri<'a> {
    text: &'a str,
    kind: RedirectKind<'a>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum RedirectKind<'a> {
    /// A web site, with its host and port.
    Web { authority: &'a str },
    /// A program on the person's machine, which listens on any port.
    Loopback { host: &'a str, rest: &'a str },
    /// An app that has registered a scheme with the operating system.
    App { scheme: &'a str },
}

impl<'a> RedirectUri<'a> {
    /// Parses a redirect URI; `None` if a code must not be sent there.
    pub fn parse(text: &'a str) -> Option<Self> {
        let is_allowed_byte =
            |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:/?[]@!$&'()*+,;=%".contains(&byte);
        if text.len() > MAX_BYTES || !text.bytes().all(is_allowed_byte) {
            return None;
        }
        let (scheme, rest) = text.split_once(':')?;
        let kind = match scheme {
            "https" => {
                let (authority, _) = split_authority(rest)?;
                let (host, _) = split_port(authority)?;
                is_domain(host).then_some(RedirectKind::Web { authority })
            }
            "http" => {
                let (authority, rest) = split_authority(rest)?;
                let (host, _) = split_port(authority)?;
                is_loopback(host).then_some(RedirectKind::Loopback { host, rest })
            }
            scheme => (is_app_scheme(scheme) && !rest.is_empty()).then_some(RedirectKind::App { scheme }),
        };
        kind.map(|kind| Self { text, kind })
    }

    /// Returns the URI.
    pub fn as_str(&self) -> &'a str {
        self.text
    }

    /// Returns true if the URI leads to a web site, and not to a program on the person's machine.
    pub fn is_web(&self) -> bool {
        matches!(self.kind, RedirectKind::Web { .. })
    }

    /// Returns true if a registered URI allows this one. Only the port of a loopback address may differ,
    /// because the operating system chooses it (RFC 8252, 7.3). Its empty path equals `/` (RFC 9110, 4.2.3).
    pub(crate) fn is_allowed_by(&self, registered: &str) -> bool {
        let is_same_program = || match (&self.kind, Self::parse_kind(registered)) {
            (
                RedirectKind::Loopback { host, rest },
                Some(RedirectKind::Loopback { host: known_host, rest: known_rest }),
            ) => *host == known_host && with_path(rest) == with_path(known_rest),
            _ => false,
        };
        self.text == registered || is_same_program()
    }

    fn parse_kind(text: &str) -> Option<RedirectKind<'_>> {
        RedirectUri::parse(text).map(|uri| uri.kind)
    }

    /// Returns the place for people: a host, or the name of a scheme.
    pub fn place(&self) -> String {
        match &self.kind {
            RedirectKind::Web { authority } => (*authority).to_owned(),
            RedirectKind::Loopback { .. } => "a program on this computer".to_owned(),
            RedirectKind::App { scheme } => format!("the app for {scheme}: on this computer"),
        }
    }

    /// Returns the source of a content security policy that allows a form to lead there.
    pub fn policy_source(&self) -> String {
        match &self.kind {
            RedirectKind::Web { authority } => format!("https://{authority}"),
            // A policy cannot name an IPv6 address.
            RedirectKind::Loopback { host, .. } if host.starts_with('[') => "http:".to_owned(),
            RedirectKind::Loopback { host, .. } => format!("http://{host}:*"),
            RedirectKind::App { scheme } => format!("{scheme}:"),
        }
    }

    /// Returns the URI with these parameters added to its query.
    pub fn with_params(&self, params: &[(&str, &str)]) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        let query = query.extend_pairs(params).finish();
        let separator = if self.text.contains('?') { '&' } else { '?' };
        format!("{}{separator}{query}", self.text)
    }
}

/// Splits the part after the scheme into host and port, and path and query.
fn split_authority(rest: &str) -> Option<(&str, &str)> {
    let rest = rest.strip_prefix("//")?;
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    Some(rest.split_at(end))
}

/// Splits host and port; `None` if the port is no number, or if there is a user name.
fn split_port(authority: &str) -> Option<(&str, Option<u16>)> {
    let host_end = authority.rfind(']').map_or(0, |end| end + 1);
    match authority.get(host_end..)?.split_once(':') {
        None => Some((authority, None)),
        Some((name, port)) => Some((&authority[..host_end + name.len()], Some(port.parse().ok()?))),
    }
}

/// Returns path and query with the path that an empty one stands for.
fn with_path(rest: &str) -> Cow<'_, str> {
    if rest.starts_with('/') { rest.into() } else { format!("/{rest}").into() }
}

fn is_domain(host: &str) -> bool {
    !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'))
}

fn is_loopback(host: &str) -> bool {
    let address = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    host == "localhost" || address.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Returns true for schemes that no browser opens by itself, unlike `javascript` or `data`.
fn is_app_scheme(scheme: &str) -> bool {
    let is_scheme_byte =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"+-.".contains(&byte);
    scheme.starts_with(|first: char| first.is_ascii_lowercase())
        && scheme.bytes().all(is_scheme_byte)
        && (scheme.contains('.') || KNOWN_SCHEMES.contains(&scheme))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_only_places_that_may_receive_a_code() {
        for good in [
            "https://app.example/callback?x=1",
            "https://app.example:8443",
            "http://localhost:6274/oauth/callback",
            "http://127.0.0.1/callback",
            "http://[::1]:9/x",
            "com.example.app:/callback",
            "cursor://anysphere.cursor-mcp/oauth/callback",
        ] {
            assert!(RedirectUri::parse(good).is_some(), "{good}");
        }
        for wrong in [
            "",
            "https:",
            "https://",
            "https:///x",
            "https://app.example/#part",
            "https://user@app.example/",
            "https://app.example;script-src/",
            "https://app.example:x/",
            "https://app.example:99999/",
            "https://app.example\\@evil.example/",
            "https://app.example/ x",
            "https://app.éxample/",
            "http://app.example/",
            "http://localhost.evil.example/",
            "http://127.0.0.1@evil.example/",
            "http://0.0.0.0/",
            "javascript:alert(1)",
            "data:text/html,x",
            "app:/callback",
            "HTTPS://app.example/",
            "//app.example/",
            "/callback",
        ] {
            assert!(RedirectUri::parse(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn only_the_port_of_a_loopback_address_may_differ() {
        let allows = |registered, asked| RedirectUri::parse(asked).unwrap().is_allowed_by(registered);
        assert!(allows("http://127.0.0.1/callback", "http://127.0.0.1:4321/callback"));
        assert!(allows("http://localhost:1/callback", "http://localhost:2/callback"));
        assert!(allows("http://127.0.0.1/", "http://127.0.0.1:33418"));
        assert!(allows("http://127.0.0.1", "http://127.0.0.1:33418/"));
        assert!(allows("http://127.0.0.1/?x=1", "http://127.0.0.1:33418?x=1"));
        assert!(allows("https://app.example/a", "https://app.example/a"));
        for (registered, asked) in [
            ("https://app.example/a", "https://app.example:8443/a"),
            ("https://app.example/a", "https://app.example/a/"),
            ("https://app.example/a", "https://app.example/a?x=1"),
            ("http://127.0.0.1/a", "http://127.0.0.1:1/b"),
            ("http://127.0.0.1/a", "http://127.0.0.1:1"),
            ("http://127.0.0.1/a", "http://127.0.0.1:1/a/"),
            ("http://127.0.0.1/", "http://127.0.0.1:1?x=1"),
            ("http://127.0.0.1/?x=1", "http://127.0.0.1:1"),
            ("http://127.0.0.1/a", "http://localhost/a"),
            ("http://127.0.0.1/a", "https://127.0.0.1/a"),
            ("com.example.app:/a", "com.example.app:/b"),
        ] {
            assert!(!allows(registered, asked), "{registered} {asked}");
        }
    }

    #[test]
    fn parameters_are_added_encoded() {
        let uri = RedirectUri::parse("https://app.example/a?x=1").unwrap();
        assert_eq!(uri.with_params(&[("state", "a&b=c")]), "https://app.example/a?x=1&state=a%26b%3Dc");
        let uri = RedirectUri::parse("com.example.app:/a").unwrap();
        assert_eq!(uri.with_params(&[("code", "1")]), "com.example.app:/a?code=1");
    }
}
