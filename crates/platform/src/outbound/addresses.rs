//! The addresses that requests may reach.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, UdpSocket};

use ipnet::{IpNet, Ipv4Net, Ipv6Net};

/// The IPv4 networks that are not public: private, shared, loopback, link-local with the metadata services of
/// clouds, documentation, tests, multicast and reserved ones, and relays of 6to4.
const RESERVED_IPV4: [Ipv4Net; 14] = [
    Ipv4Net::new_assert(Ipv4Addr::UNSPECIFIED, 8),
    Ipv4Net::new_assert(Ipv4Addr::new(10, 0, 0, 0), 8),
    Ipv4Net::new_assert(Ipv4Addr::new(100, 64, 0, 0), 10),
    Ipv4Net::new_assert(Ipv4Addr::new(127, 0, 0, 0), 8),
    Ipv4Net::new_assert(Ipv4Addr::new(169, 254, 0, 0), 16),
    Ipv4Net::new_assert(Ipv4Addr::new(172, 16, 0, 0), 12),
    Ipv4Net::new_assert(Ipv4Addr::new(192, 0, 0, 0), 24),
    Ipv4Net::new_assert(Ipv4Addr::new(192, 0, 2, 0), 24),
    Ipv4Net::new_assert(Ipv4Addr::new(192, 88, 99, 0), 24),
    Ipv4Net::new_assert(Ipv4Addr::new(192, 168, 0, 0), 16),
    Ipv4Net::new_assert(Ipv4Addr::new(198, 18, 0, 0), 15),
    Ipv4Net::new_assert(Ipv4Addr::new(198, 51, 100, 0), 24),
    Ipv4Net::new_assert(Ipv4Addr::new(203, 0, 113, 0), 24),
    Ipv4Net::new_assert(Ipv4Addr::new(224, 0, 0, 0), 3),
];
/// The metadata service of Azure, which has a public address.
const AZURE_METADATA: Ipv4Addr = Ipv4Addr::new(168, 63, 129, 16);
/// The only IPv6 network with public addresses. Outside it are loopback, link-local, private, mapped and
/// translated addresses.
const GLOBAL_IPV6: Ipv6Net = Ipv6Net::new_assert(Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);
/// The networks inside it that are not public: those of protocols, Teredo among them, of documentation, and
/// of 6to4, whose addresses contain an IPv4 address.
const RESERVED_IPV6: [Ipv6Net; 4] = [
    Ipv6Net::new_assert(Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    Ipv6Net::new_assert(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    Ipv6Net::new_assert(Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
    Ipv6Net::new_assert(Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];

/// The rules for addresses.
#[derive(Debug)]
pub(super) struct AddressRules {
    /// The networks that may be reached although they are not public.
    allowed: Vec<IpNet>,
}

impl AddressRules {
    /// Returns the rules with these additional networks.
    pub(super) fn new(allowed: Vec<IpNet>) -> Self {
        Self { allowed }
    }

    /// Returns true if a request may be sent to an address.
    pub(super) fn permits(&self, address: IpAddr) -> bool {
        // An IPv4 address can be written as an IPv6 address.
        let address = address.to_canonical();
        self.is_allowed(address) || (is_public(address) && !is_own(address))
    }

    /// Returns true if the operator has allowed the address, public or not.
    pub(super) fn is_allowed(&self, address: IpAddr) -> bool {
        self.allowed.iter().any(|network| network.contains(&address.to_canonical()))
    }
}

fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => {
            address != AZURE_METADATA && !RESERVED_IPV4.iter().any(|network| network.contains(&address))
        }
        IpAddr::V6(address) => {
            GLOBAL_IPV6.contains(&address) && !RESERVED_IPV6.iter().any(|network| network.contains(&address))
        }
    }
}

/// Returns true if the address belongs to this machine: a socket can be bound to it.
fn is_own(address: IpAddr) -> bool {
    UdpSocket::bind((address, 0)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn permits(rules: &AddressRules, address: &str) -> bool {
        rules.permits(address.parse().unwrap())
    }

    #[test]
    fn only_public_addresses_are_permitted() {
        let rules = AddressRules::new(Vec::new());
        for address in ["1.1.1.1", "93.184.216.34", "2606:4700:4700::1111", "2a00:1450:4001::1"] {
            assert!(permits(&rules, address), "{address}");
        }
        for address in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.100.100.200",
            "127.0.0.1",
            "127.9.9.9",
            "168.63.129.16",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.192",
            "192.168.1.1",
            "198.19.0.1",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::7f00:1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::ffff:169.254.169.254",
            "64:ff9b::a00:1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "2001::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "3fff::1",
        ] {
            assert!(!permits(&rules, address), "{address}");
        }
        assert!(
            permits(&rules, "::ffff:1.1.1.1"),
            "a mapped address is judged as the address that it contains"
        );
    }

    #[test]
    fn an_allowed_network_is_permitted_in_every_notation() {
        let rules = AddressRules::new(vec!["10.1.0.0/16".parse().unwrap(), "fd00:1::/32".parse().unwrap()]);
        for address in ["10.1.2.3", "::ffff:10.1.2.3", "fd00:1::5"] {
            assert!(permits(&rules, address), "{address}");
        }
        for address in ["10.2.0.1", "::ffff:10.2.0.1", "fd00:2::5", "127.0.0.1"] {
            assert!(!permits(&rules, address), "{address}");
        }
    }

    #[test]
    fn an_address_of_this_machine_is_recognised() {
        assert!(is_own("127.0.0.1".parse().unwrap()));
        assert!(!is_own("1.1.1.1".parse().unwrap()));
    }
}
