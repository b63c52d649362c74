//! Resolves host names for requests, and drops every address that may not be reached. A connection is made only
//! to an address that was checked here, so an answer cannot change between check and use.

use std::error::Error;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use tokio::net::lookup_host;

use super::addresses::AddressRules;

/// The error of a host name that has no permitted address. It does not say what stands there.
#[derive(Debug, thiserror::Error)]
#[error("the host has no public address")]
pub(super) struct NoPublicAddress;

/// A look-up of the addresses of a host.
type HostLookup = Pin<Box<dyn Future<Output = io::Result<Vec<SocketAddr>>> + Send>>;
/// Starts the look-up of the addresses of a host by its name.
pub(super) type LookUpHost = fn(String) -> HostLookup;

/// A resolver for `reqwest`.
#[derive(Clone)]
pub(super) struct GuardedResolver {
    pub(super) rules: Arc<AddressRules>,
    pub(super) look_up: LookUpHost,
}

impl GuardedResolver {
    /// Returns a resolver that asks the name servers of this machine.
    pub(super) fn new(rules: Arc<AddressRules>) -> Self {
        Self { rules, look_up: |host| Box::pin(async move { Ok(lookup_host((host, 0)).await?.collect()) }) }
    }

    /// Returns the permitted addresses of a host.
    ///
    /// # Errors
    /// If it has none, or the look-up fails.
    pub(super) async fn find_addresses(
        &self,
        host: String,
    ) -> Result<Vec<SocketAddr>, Box<dyn Error + Send + Sync>> {
        let found = (self.look_up)(host).await?;
        Ok(permitted_addresses(&self.rules, found.into_iter())?)
    }
}

impl Resolve for GuardedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let resolver = self.clone();
        Box::pin(async move {
            let permitted = resolver.find_addresses(name.as_str().to_owned()).await?;
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
        let resolver = GuardedResolver::new(Arc::new(AddressRules::new(Vec::new())));
        let name: Name = "localhost".parse().unwrap();
        let error = resolver.resolve(name).await.err().unwrap();
        assert!(error.is::<NoPublicAddress>(), "{error}");
        let allowing = AddressRules::new(vec!["127.0.0.0/8".parse().unwrap(), "::1/128".parse().unwrap()]);
        let name: Name = "localhost".parse().unwrap();
        assert!(GuardedResolver::new(Arc::new(allowing)).resolve(name).await.is_ok());
    }
}
