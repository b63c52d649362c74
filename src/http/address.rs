//! Where a request comes from: the socket, or the right hop behind proxies that are trusted.

use std::net::IpAddr;

use actix_web::HttpRequest;
use ipnet::IpNet;

/// The caller's address.
pub fn of(request: &HttpRequest, trusted: &[IpNet]) -> IpAddr {
    let socket = request.peer_addr().map_or(IpAddr::from([0, 0, 0, 0]), |peer| peer.ip());
    let lines = request.headers().get_all("x-forwarded-for");
    let lines: Vec<&str> = lines.filter_map(|line| line.to_str().ok()).collect();
    canonical(behind(socket.to_canonical(), &lines.join(","), trusted))
}

/// Walks from the socket outwards for as long as the hops are trusted: what an untrusted hop says of those
/// before it is worth nothing.
fn behind(socket: IpAddr, forwarded: &str, trusted: &[IpNet]) -> IpAddr {
    let is_trusted = |address: &IpAddr| trusted.iter().any(|network| network.contains(address));
    let mut address = socket;
    for hop in forwarded.rsplit(',') {
        if !is_trusted(&address) {
            break;
        }
        match parse(hop.trim()) {
            Some(next) => address = next,
            None => break,
        }
    }
    address
}

/// Some proxies add the port.
fn parse(hop: &str) -> Option<IpAddr> {
    let socket = || hop.parse().map(|socket: std::net::SocketAddr| socket.ip()).ok();
    hop.parse().ok().or_else(socket).map(|address: IpAddr| address.to_canonical())
}

/// Someone with one IPv6 address has a whole /64 of them.
fn canonical(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(v6) => {
            let [a, b, c, d, ..] = v6.segments();
            IpAddr::from([a, b, c, d, 0, 0, 0, 0])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn nobody_can_take_an_address_that_no_trusted_hop_has_named(
            forwarded in "([0-9a-f:., \\[\\]]{0,12}|203\\.0\\.113\\.[0-9]|10\\.0\\.0\\.[0-9]|,){0,6}", socket in "(10\\.0\\.0|192\\.0\\.2)\\.[0-9]"
        ) {
            let trusted = ["10.0.0.0/8".parse().unwrap()];
            let (socket, found) = (ip(&socket), behind(ip(&socket), &forwarded, &trusted));
            if !trusted[0].contains(&socket) {
                prop_assert_eq!(found, socket);
            }
            let named = forwarded.split(',').any(|hop| parse(hop.trim()) == Some(found));
            prop_assert!(found == socket || named);
            prop_assert_eq!(canonical(canonical(found)), canonical(found));
        }
    }

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn only_trusted_hops_are_believed() {
        let trusted = ["10.0.0.0/8".parse().unwrap()];
        for (socket, forwarded, expected) in [
            ("192.0.2.1", "198.51.100.7", "192.0.2.1"),
            ("10.0.0.1", "198.51.100.7", "198.51.100.7"),
            ("10.0.0.1", "203.0.113.9, 198.51.100.7", "198.51.100.7"),
            ("10.0.0.1", "203.0.113.9, 198.51.100.7, 10.0.0.2", "198.51.100.7"),
            ("10.0.0.1", "198.51.100.7:4711", "198.51.100.7"),
            ("10.0.0.1", "rubbish", "10.0.0.1"),
            ("10.0.0.1", "", "10.0.0.1"),
        ] {
            assert_eq!(behind(ip(socket), forwarded, &trusted), ip(expected), "{socket} {forwarded}");
        }
    }

    #[test]
    fn an_ipv6_network_is_one_caller() {
        assert_eq!(canonical(ip("2001:db8:1:2:3:4:5:6")), ip("2001:db8:1:2::"));
        assert_eq!(canonical(ip("192.0.2.1")), ip("192.0.2.1"));
    }
}
