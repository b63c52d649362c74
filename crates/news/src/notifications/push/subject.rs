//! The address at which push services can reach the operator (RFC 8292, section 2.1).

use std::net::IpAddr;

use reqwest::Url;

/// Names below which nothing is reachable from the Internet (RFC 2606, 6761, 6762, 7686, 8375 and 9476).
const SPECIAL_TOP_LEVEL_NAMES: [&str; 11] =
    ["alt", "arpa", "corp", "example", "home", "internal", "invalid", "local", "localhost", "onion", "test"];
/// The second-level names for documentation (RFC 2606).
const EXAMPLE_NAMES: [&str; 3] = ["example.com", "example.net", "example.org"];

/// Returns true if push services can accept a subject: an `https` address with a public host, or a mail
/// address with a public domain. Some of them refuse every message with another one.
pub(super) fn is_public_contact(subject: &str) -> bool {
    if let Some(address) = subject.strip_prefix("mailto:") {
        let address = address.split_once('?').map_or(address, |(address, _)| address);
        return address
            .rsplit_once('@')
            .is_some_and(|(user, domain)| !user.is_empty() && is_public_name(domain));
    }
    let url = Url::parse(subject).ok().filter(|url| url.scheme() == "https");
    url.as_ref().and_then(Url::domain).is_some_and(is_public_name)
}

/// Returns true if a domain can exist in the public name system, as far as its name tells.
fn is_public_name(domain: &str) -> bool {
    let domain = domain.strip_suffix('.').unwrap_or(domain).to_ascii_lowercase();
    let labels: Vec<&str> = domain.split('.').collect();
    let is_label = |label: &&str| {
        !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    let top = labels.last().copied().unwrap_or_default();
    let second = labels[labels.len().saturating_sub(2)..].join(".");
    labels.len() > 1
        && labels.iter().all(is_label)
        && top.bytes().any(|byte| byte.is_ascii_alphabetic())
        && domain.parse::<IpAddr>().is_err()
        && !SPECIAL_TOP_LEVEL_NAMES.contains(&top)
        && !EXAMPLE_NAMES.contains(&second.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_public_contacts_are_sent_to_push_services() {
        for good in [
            "https://cara.place",
            "https://cara.place:8443/contact",
            "https://münchen.de/",
            "mailto:operator@cara.place",
            "mailto:a@b@cara.place?subject=push",
            "mailto:operator@mail.example.de",
            "mailto:operator@localhost.de",
        ] {
            assert!(is_public_contact(good), "{good}");
        }
        for wrong in [
            "",
            "mailto:",
            "mailto:operator",
            "mailto:@cara.place",
            "mailto:operator@localhost",
            "mailto:operator@cara",
            "mailto:operator@example.com",
            "mailto:operator@mail.EXAMPLE.org.",
            "mailto:operator@cara.example",
            "mailto:operator@box.local",
            "mailto:operator@cara.invalid",
            "mailto:operator@192.0.2.1",
            "mailto:operator@[192.0.2.1]",
            "mailto:operator@cara..place",
            "http://cara.place",
            "https://localhost",
            "https://127.0.0.1:8080",
            "https://[::1]/",
            "https://203.0.113.5",
            "https://example.com/contact",
            "https://caraplace.internal",
            "https://caraplace",
            "tel:1",
        ] {
            assert!(!is_public_contact(wrong), "{wrong}");
        }
    }
}
