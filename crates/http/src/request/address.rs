//! Determines the client address of a request: the socket's, or the one that a trusted proxy sends.
//!
//! A proxy sends its client's address in `X-Forwarded-For`, to which each proxy appends the address of its
//! caller, or in a header of its own (`CARAPLACE_CLIENT_IP_HEADER`). If that setting is set, its header is
//! the only source: a proxy that writes it may pass on `X-Forwarded-For` unchanged, as the client sent it. A
//! client whose address cannot be determined is [`UNKNOWN_CLIENT`], never the proxy: with the proxy's address
//! it could use up the limits of all other clients, and with an address of its choice it would get a new
//! limit for each request.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::Once;

use actix_web::HttpRequest;
use actix_web::http::header::{HeaderName, HeaderValue, X_FORWARDED_FOR};
use ipnet::IpNet;

/// The address that all clients of trusted proxies share whose own address is unknown. It is from the discard
/// prefix of RFC 6666, so no packet has it.
pub const UNKNOWN_CLIENT: IpAddr = IpAddr::V6(Ipv6Addr::new(0x100, 0, 0, 0, 0, 0, 0, 0));

/// The trusted proxies, and the header in which they send their clients' addresses.
#[derive(Clone, Debug, Default)]
pub struct TrustedProxies {
    networks: Vec<IpNet>,
    client_ip_header: Option<HeaderName>,
}

impl TrustedProxies {
    /// Returns the proxies in these networks. `client_ip_header` is the header that they write; `None` if
    /// they append to `X-Forwarded-For`.
    pub fn new(networks: Vec<IpNet>, client_ip_header: Option<HeaderName>) -> Self {
        Self { networks, client_ip_header }
    }

    /// Returns true if an address is that of a trusted proxy.
    pub fn contains(&self, address: &IpAddr) -> bool {
        self.networks.iter().any(|network| network.contains(address))
    }

    /// Returns true if the proxies write a header of their own instead of `X-Forwarded-For`.
    pub fn has_client_ip_header(&self) -> bool {
        self.client_ip_header.is_some()
    }

    /// Walks the hops of `X-Forwarded-For` from the socket outwards while they are trusted: entries before an
    /// untrusted hop can be forged. The nearest proxy has appended the last entry.
    fn client_from_hops(&self, peer: IpAddr, lines: &[&HeaderValue]) -> IpAddr {
        let hops = lines.iter().rev().flat_map(|line| line.as_bytes().rsplit(|byte| *byte == b','));
        let mut address = peer;
        for hop in hops {
            if !self.contains(&address) {
                break;
            }
            match parse_address(hop) {
                Some(next) => address = next,
                None => return UNKNOWN_CLIENT,
            }
        }
        address
    }
}

/// Returns the client address for limits; an IPv6 address is reduced to its network.
pub fn rate_limit_address(request: &HttpRequest, proxies: &TrustedProxies) -> IpAddr {
    to_rate_limit_network(client_address(request, proxies))
}

/// Returns the client's full address.
pub fn client_address(request: &HttpRequest, proxies: &TrustedProxies) -> IpAddr {
    let peer = peer_address(request);
    if !proxies.contains(&peer) {
        return peer;
    }
    let headers = request.headers();
    match &proxies.client_ip_header {
        Some(name) => client_from_header(peer, name, headers.get_all(name)),
        None => proxies.client_from_hops(peer, &headers.get_all(X_FORWARDED_FOR).collect::<Vec<_>>()),
    }
}

/// Returns the address of the socket's peer.
pub fn peer_address(request: &HttpRequest) -> IpAddr {
    let address = request.peer_addr().map_or(IpAddr::from([0, 0, 0, 0]), |peer| peer.ip());
    address.to_canonical()
}

/// Reads the header of a trusted proxy. If it is repeated, the client has sent one, too, so it is not
/// trusted.
fn client_from_header<'a>(
    peer: IpAddr,
    name: &HeaderName,
    mut values: impl Iterator<Item = &'a HeaderValue>,
) -> IpAddr {
    match (values.next(), values.next()) {
        (Some(value), None) => parse_address(value.as_bytes()).unwrap_or(UNKNOWN_CLIENT),
        (Some(_), Some(_)) => UNKNOWN_CLIENT,
        // The proxy always writes the header for its clients, so without it, the request is from the proxy
        // itself.
        (None, _) => {
            warn_missing_header(peer, name);
            peer
        }
    }
}

/// Warns once: if the proxy never writes the header, all its clients share one limit.
fn warn_missing_header(peer: IpAddr, name: &HeaderName) {
    static ONCE: Once = Once::new();
    ONCE.call_once(
        || tracing::warn!(%peer, header = %name, "trusted proxy did not send the client's address"),
    );
}

/// Parses an address, with or without a port or brackets.
fn parse_address(hop: &[u8]) -> Option<IpAddr> {
    let text = std::str::from_utf8(hop).ok()?.trim_matches([' ', '\t']);
    let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    let with_port = || text.parse::<SocketAddr>().ok().map(|socket| socket.ip());
    bare.parse().ok().or_else(with_port).map(|address: IpAddr| address.to_canonical())
}

/// Returns the address that limits count for: a single IPv4 address, or a /56 network of IPv6, which many
/// providers assign to one customer.
fn to_rate_limit_network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(v6) => {
            let [a, b, c, d, ..] = v6.segments();
            IpAddr::from([a, b, c, d & 0xff00, 0, 0, 0, 0])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;
    use proptest::collection::vec;
    use proptest::prelude::*;

    const FLY_HEADER: &str = "fly-client-ip";

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    fn proxies(header: Option<&'static str>) -> TrustedProxies {
        TrustedProxies::new(vec!["10.0.0.0/8".parse().unwrap()], header.map(HeaderName::from_static))
    }

    /// The address of a request from this socket, with these headers.
    fn address_from(header: Option<&'static str>, socket: &str, lines: &[(&'static str, &[u8])]) -> IpAddr {
        let mut request = TestRequest::default().peer_addr(SocketAddr::new(ip(socket), 4_711));
        for (name, value) in lines {
            request = request.append_header((*name, HeaderValue::from_bytes(value).unwrap()));
        }
        rate_limit_address(&request.to_http_request(), &proxies(header))
    }

    proptest! {
        #[test]
        fn untrusted_hops_cannot_choose_the_address(
            forwarded in "([0-9a-f:., \\[\\]]{0,12}|203\\.0\\.113\\.[0-9]|10\\.0\\.0\\.[0-9]|,){0,6}",
            socket in "(10\\.0\\.0|192\\.0\\.2)\\.[0-9]",
        ) {
            let found = address_from(None, &socket, &[("x-forwarded-for", forwarded.as_bytes())]);
            if !proxies(None).contains(&ip(&socket)) {
                prop_assert_eq!(found, ip(&socket));
            }
            let network = |hop: &str| parse_address(hop.as_bytes()).map(to_rate_limit_network);
            let is_named = forwarded.split(',').any(|hop| network(hop) == Some(found));
            prop_assert!(found == ip(&socket) || found == UNKNOWN_CLIENT || is_named);
            prop_assert_eq!(
                to_rate_limit_network(to_rate_limit_network(found)),
                to_rate_limit_network(found)
            );
        }

        #[test]
        fn invalid_proxy_header_makes_the_client_unknown(
            value in prop_oneof![
                vec(any::<u8>(), 0..40),
                "[0-9a-f:., \\[\\]]{0,30}".prop_map(String::into_bytes)
            ]
        ) {
            let visible = |byte: &u8| if *byte < 0x20 || *byte == 0x7f { b' ' } else { *byte };
            let value: Vec<u8> = value.iter().map(visible).collect();
            let found = address_from(Some(FLY_HEADER), "10.0.0.1", &[(FLY_HEADER, &value)]);
            prop_assert_eq!(found, parse_address(&value).map_or(UNKNOWN_CLIENT, to_rate_limit_network));
        }

        #[test]
        fn last_hop_wins_over_anything_the_client_sent(
            sent in vec(vec(any::<u8>(), 0..40), 0..4), joined: bool
        ) {
            let visible = |byte: u8| if byte < 0x20 || byte == 0x7f { b',' } else { byte };
            let sent: Vec<Vec<u8>> =
                sent.iter().map(|line| line.iter().copied().map(visible).collect()).collect();
            let mut lines = sent;
            match lines.last_mut() {
                Some(last) if joined => last.extend(b", 198.51.100.7"),
                _ => lines.push(b"198.51.100.7".to_vec()),
            }
            let lines: Vec<(&'static str, &[u8])> =
                lines.iter().map(|line| ("x-forwarded-for", &line[..])).collect();
            prop_assert_eq!(address_from(None, "10.0.0.1", &lines), ip("198.51.100.7"));
        }
    }

    #[test]
    fn only_trusted_hops_are_used() {
        for (socket, forwarded, expected) in [
            ("192.0.2.1", "198.51.100.7", "192.0.2.1"),
            ("10.0.0.1", "198.51.100.7", "198.51.100.7"),
            ("10.0.0.1", "203.0.113.9, 198.51.100.7", "198.51.100.7"),
            ("10.0.0.1", "203.0.113.9, 198.51.100.7, 10.0.0.2", "198.51.100.7"),
            ("10.0.0.1", "198.51.100.7:4711", "198.51.100.7"),
            ("10.0.0.1", "[2001:db8::7]:4711", "2001:db8::"),
            ("10.0.0.1", "[2001:db8::7]", "2001:db8::"),
            ("10.0.0.1", "::ffff:198.51.100.7", "198.51.100.7"),
            ("::ffff:10.0.0.1", "198.51.100.7", "198.51.100.7"),
        ] {
            let line: &[u8] = forwarded.as_bytes();
            assert_eq!(
                address_from(None, socket, &[("x-forwarded-for", line)]),
                ip(expected),
                "{socket} {forwarded}"
            );
        }
        assert_eq!(address_from(None, "10.0.0.1", &[]), ip("10.0.0.1"), "the proxy's own request");
    }

    #[test]
    fn unreadable_hop_makes_the_client_unknown() {
        for forwarded in [
            &b"rubbish"[..],
            b"",
            b"198.51.100.7,",
            b"\xff",
            b"198.51.100.7, \xff",
            b"unknown",
            b"rubbish, 10.0.0.2",
        ] {
            let address = address_from(None, "10.0.0.1", &[("x-forwarded-for", forwarded)]);
            assert_eq!(address, UNKNOWN_CLIENT, "{}", forwarded.escape_ascii());
        }
        let address = address_from(None, "10.0.0.1", &[("x-forwarded-for", b"\xff, 198.51.100.7")]);
        assert_eq!(address, ip("198.51.100.7"), "a client cannot hide the entry of its proxy");
    }

    #[test]
    fn configured_header_replaces_forwarded_hops() {
        let hops: (&'static str, &[u8]) = ("x-forwarded-for", b"203.0.113.9, 192.0.2.80");
        let cases: [(&[&[u8]], &str); 7] = [
            (&[b"198.51.100.7"], "198.51.100.7"),
            (&[b"10.0.0.9"], "10.0.0.9"),
            (&[], "10.0.0.1"),
            (&[b"203.0.113.9", b"198.51.100.7"], "100::"),
            (&[b"203.0.113.9, 198.51.100.7"], "100::"),
            (&[b"\xff"], "100::"),
            (&[b""], "100::"),
        ];
        for (values, expected) in cases {
            let mut lines = vec![hops];
            lines.extend(values.iter().map(|value| (FLY_HEADER, *value)));
            assert_eq!(address_from(Some(FLY_HEADER), "10.0.0.1", &lines), ip(expected), "{lines:?}");
        }
        let untrusted = address_from(Some(FLY_HEADER), "192.0.2.1", &[(FLY_HEADER, b"198.51.100.7")]);
        assert_eq!(untrusted, ip("192.0.2.1"), "only trusted proxies can send it");
    }

    #[test]
    fn ipv6_addresses_share_one_limit_per_network() {
        assert_eq!(to_rate_limit_network(ip("2001:db8:1:2ff:3:4:5:6")), ip("2001:db8:1:200::"));
        assert_ne!(
            to_rate_limit_network(ip("2001:db8:1:2ff::")),
            to_rate_limit_network(ip("2001:db8:1:300::"))
        );
        assert_eq!(to_rate_limit_network(ip("192.0.2.1")), ip("192.0.2.1"));
        assert_eq!(to_rate_limit_network(UNKNOWN_CLIENT), UNKNOWN_CLIENT);
    }
}
