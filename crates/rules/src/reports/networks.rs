//! Networks of reporters: addresses that usually belong to one site count as one.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Bits of an IPv4 address that name its network.
const V4_PREFIX: u32 = 24;
/// Bits of an IPv6 address that name its network: the size of the block that a site is usually given.
const V6_PREFIX: u32 = 48;

/// Returns the network of an address, as `192.0.2.0/24` or `2001:db8:1::/48`; `None` for a loopback or
/// unspecified address, which does not identify a network.
pub fn network_of(address: IpAddr) -> Option<String> {
    let address = address.to_canonical();
    if address.is_loopback() || address.is_unspecified() {
        return None;
    }
    Some(match address {
        IpAddr::V4(v4) => {
            let mask = u32::MAX << (u32::BITS - V4_PREFIX);
            format!("{}/{V4_PREFIX}", Ipv4Addr::from_bits(v4.to_bits() & mask))
        }
        IpAddr::V6(v6) => {
            let mask = u128::MAX << (u128::BITS - V6_PREFIX);
            format!("{}/{V6_PREFIX}", Ipv6Addr::from_bits(v6.to_bits() & mask))
        }
    })
}

/// Returns the group of each item, named by the index of the group's first item. Items that share a key are
/// in one group, also when they are linked only through other items.
pub fn group_by_keys(items: &[Vec<&[u8]>]) -> Vec<usize> {
    let mut parents: Vec<usize> = (0..items.len()).collect();
    let mut first_item_by_key: HashMap<&[u8], usize> = HashMap::new();
    for (item, keys) in items.iter().enumerate() {
        for key in keys {
            let first_item = *first_item_by_key.entry(key).or_insert(item);
            let one = find_root(&mut parents, item);
            let other = find_root(&mut parents, first_item);
            parents[one.max(other)] = one.min(other);
        }
    }
    (0..items.len()).map(|item| find_root(&mut parents, item)).collect()
}

/// Returns the root of an item's tree, and shortens the path to it.
fn find_root(parents: &mut [usize], mut item: usize) -> usize {
    while parents[item] != item {
        parents[item] = parents[parents[item]];
        item = parents[item];
    }
    item
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn network(address: &str) -> Option<String> {
        network_of(address.parse().unwrap())
    }

    #[test]
    fn an_address_belongs_to_its_24_or_48_bit_network() {
        assert_eq!(network("192.0.2.77").as_deref(), Some("192.0.2.0/24"));
        assert_eq!(network("::ffff:192.0.2.77").as_deref(), Some("192.0.2.0/24"));
        assert_eq!(network("2001:db8:1:2:3:4:5:6").as_deref(), Some("2001:db8:1::/48"));
        assert_ne!(network("2001:db8:1::1"), network("2001:db8:2::1"));
        assert_eq!((network("127.0.0.1"), network("::1"), network("0.0.0.0")), (None, None, None));
    }

    #[test]
    fn items_are_linked_by_any_key_and_through_others() {
        let items: [Vec<&[u8]>; 5] = [vec![b"a"], vec![b"b"], vec![b"c", b"a"], vec![b"d"], vec![b"b", b"c"]];
        assert_eq!(group_by_keys(&items), [0, 0, 0, 3, 0]);
        assert_eq!(group_by_keys(&items[..4]), [0, 1, 0, 3]);
    }

    proptest! {
        #[test]
        fn items_with_a_common_key_share_a_group(keys in vec(vec(0_u8..12, 0..4), 0..40)) {
            let items: Vec<Vec<&[u8]>> = keys.iter().map(|keys| keys.chunks(1).collect()).collect();
            let groups = group_by_keys(&items);
            for (one, keys_of_one) in items.iter().enumerate() {
                prop_assert!(groups[one] <= one && groups[groups[one]] == groups[one]);
                for (other, keys_of_other) in items.iter().enumerate() {
                    let shared = keys_of_one.iter().any(|key| keys_of_other.contains(key));
                    prop_assert!(!shared || groups[one] == groups[other]);
                }
            }
        }
    }
}
