//! Shares of costly work: an address has at most half of the permits, waits behind itself, and pays for the
//! work.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::TimeDelta;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::address_slots::{AddressSlot, AddressSlots, SlotShortage};
use crate::clock;
use crate::keyed_permits::KeyedPermits;
use crate::refusal::{Refusal, WorkRefusal, internal};

/// The limits of one kind of costly work.
#[derive(Clone, Copy, Debug)]
pub struct ShareLimits {
    /// The number of requests that are worked on at a time.
    pub permits: usize,
    /// The number of requests that wait.
    pub max_waiting: usize,
    /// The time that a request waits.
    pub timeout: Duration,
}

/// The permits for one kind of costly work, and the requests that wait for them.
pub struct WorkShares {
    limits: ShareLimits,
    permits: Arc<Semaphore>,
    /// As many permits as an address may have at a time. Its other requests wait here, not for those of all.
    own_permits: KeyedPermits<IpAddr>,
    /// The places of the requests that have a permit or wait for one.
    places: Arc<AddressSlots>,
}

/// An allowance that pays for work after it is done.
pub trait WorkAccount: Send + Sync {
    /// Pays for the work of earlier requests.
    ///
    /// # Errors
    /// The time until the allowance has grown by what is missing.
    fn settle(&self) -> Result<(), TimeDelta>;

    /// Takes the price of work from the allowance.
    fn charge(&self, work: Duration);
}

/// The caller for whom costly work is done.
#[derive(Clone)]
pub struct WorkCaller {
    pub address: IpAddr,
    /// `None` if the work is paid for otherwise, as by the budget of the guide.
    pub account: Option<Arc<dyn WorkAccount>>,
}

/// A permit for costly work. The caller pays for the time until it is dropped.
pub struct WorkPermit {
    // In the order in which they are given back: the next request of the address finds both permits.
    _shared: OwnedSemaphorePermit,
    _own: OwnedSemaphorePermit,
    _place: AddressSlot,
    account: Option<Arc<dyn WorkAccount>>,
    began_at: Instant,
}

/// Returns half of a number, but at least 1.
fn half(count: usize) -> usize {
    (count / 2).max(1)
}

impl WorkShares {
    /// Returns the shares of these limits. No address has more than half of the permits and half of the
    /// queue.
    pub fn new(limits: ShareLimits) -> Arc<Self> {
        Arc::new(Self {
            permits: Arc::new(Semaphore::new(limits.permits)),
            own_permits: KeyedPermits::default(),
            places: AddressSlots::new(limits.permits + limits.max_waiting),
            limits,
        })
    }

    /// Waits for a permit.
    ///
    /// # Errors
    /// `Work` if the address has too many requests here or its earlier work is not paid for, `Overloaded` if
    /// all addresses together have too many.
    pub async fn acquire(self: &Arc<Self>, caller: &WorkCaller) -> Result<WorkPermit, Refusal> {
        if let Some(account) = &caller.account {
            account.settle().map_err(|wait| WorkRefusal::NotPaid { wait })?;
        }
        let place = self.take_place(caller.address)?;
        let permits = self.own_permits.of(caller.address, half(self.limits.permits));
        let limit = self.limits.timeout;
        let started_at = clock::monotonic_now();
        let own = timeout(limit, permits.acquire_owned()).await.ok().ok_or(WorkRefusal::AddressBusy)?;
        let remaining = limit.saturating_sub(started_at.elapsed());
        let shared = timeout(remaining, self.permits.clone().acquire_owned()).await;
        let shared = shared.ok().ok_or(Refusal::Overloaded)?;
        let failed = || internal("waiting for a permit");
        Ok(WorkPermit {
            _shared: shared.map_err(failed())?,
            _own: own.map_err(failed())?,
            _place: place,
            account: caller.account.clone(),
            began_at: clock::monotonic_now(),
        })
    }

    /// Takes a place for a request.
    fn take_place(&self, address: IpAddr) -> Result<AddressSlot, Refusal> {
        let max_per_address = half(self.limits.permits) + half(self.limits.max_waiting);
        let max_per_address = u32::try_from(max_per_address).unwrap_or(u32::MAX);
        self.places.acquire(address, max_per_address).map_err(|shortage| match shortage {
            SlotShortage::OfAddress => WorkRefusal::AddressBusy.into(),
            SlotShortage::OfAll => Refusal::Overloaded,
        })
    }
}

impl Drop for WorkPermit {
    fn drop(&mut self) {
        if let Some(account) = &self.account {
            account.charge(self.began_at.elapsed());
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::poll;
    use parking_lot::Mutex;

    use super::*;

    const LIMITS: ShareLimits = ShareLimits { permits: 2, max_waiting: 4, timeout: Duration::from_mins(5) };

    fn caller(last: u8) -> WorkCaller {
        WorkCaller { address: IpAddr::from([192, 0, 2, last]), account: None }
    }

    #[tokio::test]
    async fn an_address_waits_behind_itself_and_others_go_on() {
        let shares = WorkShares::new(LIMITS);
        let greedy = caller(1);
        let other = caller(2);
        let first = shares.acquire(&greedy).await.ok().unwrap();
        let mut waiting = [Box::pin(shares.acquire(&greedy)), Box::pin(shares.acquire(&greedy))];
        for request in &mut waiting {
            assert!(poll!(request).is_pending(), "half of two permits is one");
        }
        let refused = shares.acquire(&greedy).await.err();
        assert!(matches!(refused, Some(Refusal::Work(WorkRefusal::AddressBusy))), "its queue is full");
        let second = shares.acquire(&other).await.ok().unwrap();
        drop(first);
        let [next, last] = waiting;
        drop(next.await.ok().unwrap());
        drop((last, second));
        assert!(shares.places.is_unused(), "what is given up is free again");
    }

    #[tokio::test]
    async fn the_server_is_overloaded_only_by_many_addresses() {
        let shares = WorkShares::new(LIMITS);
        let callers: Vec<WorkCaller> = (0..7).map(caller).collect();
        let mut requests: Vec<_> = callers.iter().map(|caller| Box::pin(shares.acquire(caller))).collect();
        let mut held = Vec::new();
        for request in &mut requests[..6] {
            if let std::task::Poll::Ready(permit) = poll!(request) {
                held.push(permit.ok().unwrap());
            }
        }
        assert_eq!(held.len(), 2);
        let refused = shares.acquire(&callers[6]).await.err();
        assert!(matches!(refused, Some(Refusal::Overloaded)));
    }

    #[tokio::test]
    async fn a_request_that_waits_too_long_is_refused_for_its_address() {
        let shares = WorkShares::new(ShareLimits { timeout: Duration::ZERO, ..LIMITS });
        let held = shares.acquire(&caller(1)).await.ok().unwrap();
        let refused = shares.acquire(&caller(1)).await.err();
        assert!(matches!(refused, Some(Refusal::Work(WorkRefusal::AddressBusy))));
        let other = shares.acquire(&caller(2)).await.ok().unwrap();
        let refused = shares.acquire(&caller(3)).await.err();
        assert!(matches!(refused, Some(Refusal::Overloaded)));
        drop((held, other));
    }

    #[derive(Default)]
    struct Debt(Mutex<Vec<Duration>>);

    impl WorkAccount for Debt {
        fn settle(&self) -> Result<(), TimeDelta> {
            if self.0.lock().is_empty() { Ok(()) } else { Err(TimeDelta::seconds(7)) }
        }

        fn charge(&self, work: Duration) {
            self.0.lock().push(work);
        }
    }

    #[tokio::test]
    async fn work_is_charged_once_and_must_be_paid_before_more() {
        let shares = WorkShares::new(LIMITS);
        let debt = Arc::new(Debt::default());
        let caller = WorkCaller { account: Some(debt.clone()), ..caller(1) };
        drop(shares.acquire(&caller).await.ok().unwrap());
        assert_eq!(debt.0.lock().len(), 1);
        let refused = shares.acquire(&caller).await.err();
        let wait = TimeDelta::seconds(7);
        assert!(matches!(refused, Some(Refusal::Work(WorkRefusal::NotPaid { wait: told })) if told == wait));
        assert_eq!(debt.0.lock().len(), 1, "a refused request costs nothing");
    }
}
