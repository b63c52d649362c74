//! The address of a request, as a user gives it.

use std::net::IpAddr;

use reqwest::Url;

use super::addresses::AddressRules;

/// The maximum length of an address, in bytes.
const MAX_URL_BYTES: usize = 2_000;

/// The ports below [`FIRST_FREE_PORT`] that may be reached. The others belong to services such as mail and
/// SSH, which must get nothing from here.
const WEB_PORTS: [u16; 2] = [443, 80];
/// The first port that needs no privilege.
const FIRST_FREE_PORT: u16 = 1_024;

/// An address to which requests may be sent. Its host is resolved, and checked again, with each request.
#[derive(Clone, Debug)]
pub struct OutboundTarget(Url);

/// The reason why no request is sent to an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TargetRefusal {
    #[error("is not an address of at most {MAX_URL_BYTES} characters")]
    NotAnAddress,
    #[error("must begin with https://")]
    NotHttps,
    #[error("must have no user name, password or fragment")]
    HasCredentials,
    #[error("must have port 443, 80, or one from {FIRST_FREE_PORT} on")]
    PortNotAllowed,
    #[error("must name a public host")]
    NotPublic,
}

impl OutboundTarget {
    /// Parses an address. Without TLS, only addresses of allowed networks are accepted.
    pub(super) fn parse(
        text: &str,
        rules: &AddressRules,
        own_host: Option<&str>,
    ) -> Result<Self, TargetRefusal> {
        let url = Url::parse(text).ok().filter(|url| text.len() <= MAX_URL_BYTES && url.has_host());
        let url = url.ok_or(TargetRefusal::NotAnAddress)?;
        let host = url.host_str().unwrap_or_default();
        let address: Option<IpAddr> = host.trim_matches(['[', ']']).parse().ok();
        let is_allowed = address.is_some_and(|address| rules.is_allowed(address));
        match url.scheme() {
            "https" => {}
            "http" if is_allowed => {}
            _ => return Err(TargetRefusal::NotHttps),
        }
        if !url.username().is_empty() || url.password().is_some() || url.fragment().is_some() {
            return Err(TargetRefusal::HasCredentials);
        }
        let port = url.port_or_known_default().unwrap_or_default();
        if !(WEB_PORTS.contains(&port) || port >= FIRST_FREE_PORT) {
            return Err(TargetRefusal::PortNotAllowed);
        }
        // An operator who allows a network allows this server's address there, too.
        let is_own = !is_allowed && own_host == Some(without_final_dot(host));
        let is_public = !is_own && address.is_none_or(|address| rules.permits(address));
        if is_public { Ok(Self(url)) } else { Err(TargetRefusal::NotPublic) }
    }

    /// Returns the address.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Returns the address.
    pub(super) fn url(&self) -> &Url {
        &self.0
    }

    /// Returns the name of the host; `None` if the host is an address, which was checked when it was parsed.
    pub fn host_name(&self) -> Option<&str> {
        self.0.domain()
    }

    /// Returns the host by which requests under way are counted: all ports of a host, and its name with and
    /// without a final dot, count together.
    pub fn host_key(&self) -> String {
        without_final_dot(self.0.host_str().unwrap_or_default()).to_owned()
    }

    /// Returns the scheme, host and port, as in `https://push.example.com`.
    pub fn origin(&self) -> String {
        self.0.origin().ascii_serialization()
    }
}

/// Returns a host without a final dot, which makes no other host of it.
pub(super) fn without_final_dot(host: &str) -> &str {
    host.strip_suffix('.').unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<OutboundTarget, TargetRefusal> {
        let rules = AddressRules::new(vec!["127.0.0.2/32".parse().unwrap()]);
        OutboundTarget::parse(text, &rules, Some("canvas.example.org"))
    }

    #[test]
    fn https_addresses_of_public_hosts_are_accepted() {
        for (text, origin) in [
            ("https://push.example.com/send/abc?x=1", "https://push.example.com"),
            ("https://push.example.com:8443/", "https://push.example.com:8443"),
            ("https://1.1.1.1/", "https://1.1.1.1"),
            ("https://127.0.0.2/", "https://127.0.0.2"),
            ("https://push.example.com:80/", "https://push.example.com:80"),
            ("https://push.example.com:1024/", "https://push.example.com:1024"),
            ("https://push.example.com:65535/", "https://push.example.com:65535"),
            ("http://127.0.0.2:9900/", "http://127.0.0.2:9900"),
        ] {
            assert_eq!(parse(text).unwrap().origin(), origin, "{text}");
        }
    }

    #[test]
    fn other_addresses_are_refused_in_every_notation() {
        let long = format!("https://example.com/{}", "a".repeat(MAX_URL_BYTES));
        for (text, expected) in [
            ("", TargetRefusal::NotAnAddress),
            ("example.com", TargetRefusal::NotAnAddress),
            ("https://", TargetRefusal::NotAnAddress),
            ("data:text/plain,x", TargetRefusal::NotAnAddress),
            (&long, TargetRefusal::NotAnAddress),
            ("http://example.com/", TargetRefusal::NotHttps),
            ("http://1.1.1.1/", TargetRefusal::NotHttps),
            ("ftp://example.com/", TargetRefusal::NotHttps),
            ("https://user@example.com/", TargetRefusal::HasCredentials),
            ("https://:secret@example.com/", TargetRefusal::HasCredentials),
            ("https://example.com/#part", TargetRefusal::HasCredentials),
            ("https://example.com:0/", TargetRefusal::PortNotAllowed),
            ("https://example.com:22/", TargetRefusal::PortNotAllowed),
            ("https://example.com:25/", TargetRefusal::PortNotAllowed),
            ("https://example.com:1023/", TargetRefusal::PortNotAllowed),
            ("http://127.0.0.2:99/", TargetRefusal::PortNotAllowed),
            ("https://127.0.0.1/", TargetRefusal::NotPublic),
            ("https://2130706433/", TargetRefusal::NotPublic),
            ("https://0x7f.1/", TargetRefusal::NotPublic),
            ("https://0177.0.0.1/", TargetRefusal::NotPublic),
            ("https://１２７.0.0.1/", TargetRefusal::NotPublic),
            ("https://[::1]/", TargetRefusal::NotPublic),
            ("https://[::ffff:127.0.0.1]/", TargetRefusal::NotPublic),
            ("https://[::ffff:a9fe:a9fe]/", TargetRefusal::NotPublic),
            ("https://169.254.169.254/latest/meta-data", TargetRefusal::NotPublic),
            ("https://canvas.example.org/api/chat", TargetRefusal::NotPublic),
            ("https://CANVAS.example.org/", TargetRefusal::NotPublic),
            ("https://canvas.example.org./", TargetRefusal::NotPublic),
        ] {
            assert_eq!(parse(text).err(), Some(expected), "{text}");
        }
    }

    #[test]
    fn own_address_is_refused_unless_its_network_is_allowed() {
        let rules = AddressRules::new(vec!["127.0.0.2/32".parse().unwrap()]);
        for (own_host, text, is_accepted) in [
            ("1.1.1.1", "https://1.1.1.1/", false),
            ("1.1.1.1", "https://1.1.1.2/", true),
            ("[2606:4700::1]", "https://[2606:4700:0::1]/", false),
            ("127.0.0.2", "http://127.0.0.2:9900/", true),
        ] {
            let parsed = OutboundTarget::parse(text, &rules, Some(own_host));
            assert_eq!(parsed.is_ok(), is_accepted, "{text}");
        }
    }

    #[test]
    fn spellings_of_a_host_count_together() {
        for text in [
            "https://a.example/",
            "https://A.example:8443/x",
            "https://a.example./",
            "https://a.example.:1024/",
        ] {
            assert_eq!(parse(text).unwrap().host_key(), "a.example", "{text}");
        }
    }
}
