//! Resolves host names for requests, and drops every address that may not be reached. A connection is made only
//! to an address that was checked here, so an answer cannot change between check and use.

use std::net::SocketAddr;
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use tokio::net::lookup_host;

use super::addresses::AddressRules;

/// The error of a host name that has no permitted address. It does not say what stands there.
#[derive(Debug, thiserror::Error)]
#[error("the host has no public address")]
pub(super) struct NoPublicAddress;

/// A resolver for `reqwest`.
pub(super) struct GuardedResolver(pub(super) Arc<AddressRules>);

impl Resolve for GuardedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let rules = self.0.clone();
        Box::pin(async move {
            let found = lookup_host((name.as_str(), 0)).await?;
            let permitted = permitted_addresses(&rules, found)?;
            Ok(Box::new(permitted.into_iter()) as Addrs)
        })
    }
}

/// Returns the permitted ones of the addresses of a host.
fn permitted_addresses(
    rules: &AddressRules,
    found: impl Iterator<Item = SocketAddr>,
) -> Result<Vec<SocketAddr>, NoPublicAddress> {
    let permitted: Vec<SocketAddr> = found.filter(|address| rules.permits(address.ip())).collect();
    if permitted.is_empty() { Err(NoPublicAddress) } else { Ok(permitted) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn permitted(answers: &[&str]) -> Option<Vec<String>> {
        let rules = AddressRules::new(Vec::new());
        let found = answers.iter().map(|answer| SocketAddr::new(answer.parse().unwrap(), 0));
        let permitted = permitted_addresses(&rules, found).ok()?;
        Some(permitted.iter().map(|address| address.ip().to_string()).collect())
    }

    #[test]
    fn answers_of_name_servers_are_filtered() {
        let mixed = ["127.0.0.1", "1.1.1.1", "::ffff:10.0.0.1", "169.254.169.254", "fe80::1"];
        assert_eq!(permitted(&mixed), Some(vec!["1.1.1.1".to_owned()]));
        for private in [&["127.0.0.1"][..], &["::1"], &["::ffff:192.168.0.1", "10.0.0.1"], &[]] {
            assert_eq!(permitted(private), None, "{private:?}");
        }
    }

    #[tokio::test]
    async fn a_name_of_this_machine_has_no_permitted_address() {
        let resolver = GuardedResolver(Arc::new(AddressRules::new(Vec::new())));
        let name: Name = "localhost".parse().unwrap();
        let error = resolver.resolve(name).await.err().unwrap();
        assert!(error.is::<NoPublicAddress>(), "{error}");
        let allowing = AddressRules::new(vec!["127.0.0.0/8".parse().unwrap(), "::1/128".parse().unwrap()]);
        let name: Name = "localhost".parse().unwrap();
        assert!(GuardedResolver(Arc::new(allowing)).resolve(name).await.is_ok());
    }
}
