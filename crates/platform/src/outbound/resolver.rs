//! Resolves host names for requests, and drops every address that may not be reached. A connection is made
//! only to an address that was checked here, so an answer cannot change between check and use.

use std::net::SocketAddr;
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use tokio::time::timeout;

use super::addresses::AddressRules;
use super::look_ups::{
    LOOK_UP_TIMEOUT, LookUpError, LookUpHost, LookUpOwner, LookUpShares, look_up_on_own_threads,
};

tokio::task_local! {
    /// The addresses of the request that the current task sends. The HTTP client asks for them in that task.
    pub(super) static ADDRESSES: Vec<SocketAddr>;
}

/// The maximum number of addresses of a host that are tried.
const MAX_ADDRESSES: usize = 4;

/// Finds the addresses of hosts.
pub(super) struct GuardedResolver {
    pub(super) rules: Arc<AddressRules>,
    pub(super) look_up: LookUpHost,
    pub(super) shares: LookUpShares,
}

/// A resolver for the HTTP client. It looks up nothing: it returns the addresses that were found, checked and
/// counted before the request.
pub(super) struct KnownAddresses;

impl GuardedResolver {
    /// Returns a resolver that asks the name servers of this machine.
    pub(super) fn new(rules: Arc<AddressRules>) -> Self {
        Self::with_look_up(rules, look_up_on_own_threads)
    }

    /// Returns a resolver with another look-up.
    pub(super) fn with_look_up(rules: Arc<AddressRules>, look_up: LookUpHost) -> Self {
        Self { rules, look_up, shares: LookUpShares::default() }
    }

    /// Returns the first permitted addresses of a host.
    ///
    /// # Errors
    /// If it has none, or the look-up fails, takes too long, or finds no thread.
    pub(super) async fn find_addresses(
        &self,
        host: &str,
        owners: &[LookUpOwner],
    ) -> Result<Vec<SocketAddr>, LookUpError> {
        let permit = self.shares.try_acquire(owners)?;
        let found = timeout(LOOK_UP_TIMEOUT, (self.look_up)(host.to_owned(), permit));
        let found = found.await.map_err(|_| LookUpError::Unanswered)??;
        permitted_addresses(&self.rules, found.into_iter())
    }
}

impl Resolve for KnownAddresses {
    fn resolve(&self, _: Name) -> Resolving {
        let known = ADDRESSES.try_with(Clone::clone);
        Box::pin(async move {
            let known = known.map_err(|_| LookUpError::NoPublicAddress)?;
            Ok(Box::new(known.into_iter()) as Addrs)
        })
    }
}

/// Returns the first permitted ones of the addresses of a host.
fn permitted_addresses(
    rules: &AddressRules,
    found: impl Iterator<Item = SocketAddr>,
) -> Result<Vec<SocketAddr>, LookUpError> {
    let permitted = found.filter(|address| rules.permits(address.ip()));
    let permitted: Vec<SocketAddr> = permitted.take(MAX_ADDRESSES).collect();
    if permitted.is_empty() { Err(LookUpError::NoPublicAddress) } else { Ok(permitted) }
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
        let owner = [LookUpOwner::Agent("ada".to_owned())];
        let resolver = GuardedResolver::new(Arc::new(AddressRules::new(Vec::new())));
        let found = resolver.find_addresses("localhost", &owner).await;
        assert_eq!(found, Err(LookUpError::NoPublicAddress));
        let allowing = AddressRules::new(vec!["127.0.0.0/8".parse().unwrap(), "::1/128".parse().unwrap()]);
        let resolver = GuardedResolver::new(Arc::new(allowing));
        assert!(resolver.find_addresses("localhost", &owner).await.is_ok());
    }

    #[tokio::test]
    async fn look_up_without_an_answer_takes_only_the_share_of_its_owner() {
        // The permit is kept as long as the look-up lasts, although nobody waits for it any more.
        let look_up: LookUpHost = |host, permit| {
            Box::pin(async move {
                if host == "silent.example" {
                    tokio::spawn(async move {
                        let _permit = permit;
                        std::future::pending::<()>().await;
                    });
                    return Err(LookUpError::Unanswered);
                }
                Ok(vec![SocketAddr::from(([1, 1, 1, 1], 0))])
            })
        };
        let resolver = GuardedResolver::with_look_up(Arc::new(AddressRules::new(Vec::new())), look_up);
        let [ada, ben] = ["ada", "ben"].map(|agent| [LookUpOwner::Agent(agent.to_owned())]);
        for expected in [LookUpError::Unanswered, LookUpError::Unanswered, LookUpError::Busy] {
            assert_eq!(resolver.find_addresses("silent.example", &ada).await, Err(expected));
        }
        assert_eq!(resolver.find_addresses("a.example", &ada).await, Err(LookUpError::Busy));
        assert!(resolver.find_addresses("a.example", &ben).await.is_ok());
    }
}
