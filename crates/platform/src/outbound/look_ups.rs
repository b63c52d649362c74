//! Looks up host names that users choose, on threads of their own: a name server that does not answer stops
//! nothing else.

use std::net::{IpAddr, SocketAddr, ToSocketAddrs as _};
use std::pin::Pin;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::keyed_permits::KeyedPermits;
use crate::refusal::Refusal;
use crate::worker_pool::{TimeLimits, WorkerPool};

/// The maximum number of look-ups of one client at the same time.
const MAX_LOOK_UPS: usize = 32;
/// The number of threads: for the clients of webhooks and of push messages.
const THREADS: usize = 2 * MAX_LOOK_UPS;
/// The time that a look-up may take. Its thread stays occupied until the system's resolver gives up.
pub(super) const LOOK_UP_TIMEOUT: Duration = Duration::from_secs(5);

static POOL: LazyLock<WorkerPool> = LazyLock::new(|| WorkerPool::new("look-up", THREADS));

/// The reason why a look-up has no address. It does not say what stands there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LookUpError {
    #[error("the host has no public address")]
    NoPublicAddress,
    #[error("no name server answers in time")]
    Unanswered,
    #[error("too many host names are being looked up")]
    Busy,
}

/// The cause of a look-up, which has a share of the threads.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum LookUpOwner {
    /// An agent, by its id.
    Agent(String),
    /// The network address of a request.
    Address(IpAddr),
    /// A host to which a request is sent for nobody in particular.
    Host(String),
    /// All requests that only check an address, so that deliveries find threads.
    Checks,
}

impl LookUpOwner {
    /// Returns the maximum number of look-ups at the same time.
    fn max(&self) -> usize {
        match self {
            Self::Agent(_) | Self::Host(_) => 2,
            Self::Address(_) => 4,
            Self::Checks => MAX_LOOK_UPS / 2,
        }
    }
}

/// A permit for one look-up. A look-up cannot be interrupted, so it keeps the permit until it ends.
pub(super) struct LookUpPermit {
    _shares: Vec<OwnedSemaphorePermit>,
}

/// A look-up of the addresses of a host.
pub(super) type HostLookUp = Pin<Box<dyn Future<Output = Result<Vec<SocketAddr>, LookUpError>> + Send>>;
/// Starts the look-up of the addresses of a host by its name.
pub(super) type LookUpHost = fn(String, LookUpPermit) -> HostLookUp;

/// The look-ups of a client that are under way.
pub(super) struct LookUpShares {
    all: Arc<Semaphore>,
    by_owner: KeyedPermits<LookUpOwner>,
}

impl Default for LookUpShares {
    fn default() -> Self {
        Self { all: Arc::new(Semaphore::new(MAX_LOOK_UPS)), by_owner: KeyedPermits::default() }
    }
}

impl LookUpShares {
    /// Returns a permit for one more look-up of these owners.
    ///
    /// # Errors
    /// `Busy` if there are too many already.
    pub(super) fn try_acquire(&self, owners: &[LookUpOwner]) -> Result<LookUpPermit, LookUpError> {
        let of_owners = owners.iter().map(|owner| self.by_owner.of(owner.clone(), owner.max()));
        let shares = of_owners.chain([self.all.clone()]).map(Semaphore::try_acquire_owned);
        let shares: Result<Vec<_>, _> = shares.collect();
        shares.map(|shares| LookUpPermit { _shares: shares }).map_err(|_| LookUpError::Busy)
    }
}

/// Looks up a host as the system does, with its file of hosts and its name servers.
pub(super) fn look_up_on_own_threads(host: String, permit: LookUpPermit) -> HostLookUp {
    Box::pin(async move {
        let look_up = move || {
            let _permit = permit;
            (host.as_str(), 0).to_socket_addrs().map(Vec::from_iter)
        };
        let limits = TimeLimits { wait: LOOK_UP_TIMEOUT, run: LOOK_UP_TIMEOUT };
        match POOL.run_within("looking up a host", limits, look_up).await {
            Ok(Some(Ok(found))) => Ok(found),
            Ok(None) => Err(LookUpError::Unanswered),
            Err(Refusal::Overloaded) => Err(LookUpError::Busy),
            Ok(Some(Err(_))) | Err(_) => Err(LookUpError::NoPublicAddress),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent_with_id(id: usize) -> LookUpOwner {
        LookUpOwner::Agent(id.to_string())
    }

    #[test]
    fn no_owner_takes_the_look_ups_of_others() {
        let shares = LookUpShares::default();
        let address = IpAddr::from([192, 0, 2, 1]);
        let of_agent = |agent| [agent_with_id(agent), LookUpOwner::Address(address), LookUpOwner::Checks];
        let mut permits: Vec<_> = (0..2).map(|_| shares.try_acquire(&of_agent(1)).unwrap()).collect();
        assert_eq!(shares.try_acquire(&of_agent(1)).err(), Some(LookUpError::Busy), "the agent's share");
        permits.extend((0..2).map(|_| shares.try_acquire(&of_agent(2)).unwrap()));
        assert_eq!(shares.try_acquire(&of_agent(3)).err(), Some(LookUpError::Busy), "the address's share");
        for agent in 10.. {
            match shares.try_acquire(&[agent_with_id(agent), LookUpOwner::Checks]) {
                Ok(permit) => permits.push(permit),
                Err(_) => break,
            }
        }
        assert_eq!(permits.len(), MAX_LOOK_UPS / 2, "deliveries have the other half");
        assert!(shares.try_acquire(&[agent_with_id(99)]).is_ok());
        permits.clear();
        assert!(shares.try_acquire(&of_agent(3)).is_ok(), "shares are free again");
    }

    #[test]
    fn refused_look_up_takes_no_share() {
        let shares = LookUpShares::default();
        let held: Vec<_> = (0..2).map(|_| shares.try_acquire(&[agent_with_id(1)]).unwrap()).collect();
        let both = [agent_with_id(2), agent_with_id(1)];
        for _ in 0..3 {
            assert!(shares.try_acquire(&both).is_err());
        }
        drop(held);
        assert!(shares.try_acquire(&both).is_ok());
    }
}
