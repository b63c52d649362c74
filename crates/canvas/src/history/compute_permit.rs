//! Permits for values that one caller computes for all who ask for them at the same time.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use parking_lot::Mutex;
use platform::refusal::Refusal;
use platform::work_shares::{WorkCaller, WorkPermit, WorkShares};

/// A permit to compute a value. It is given back while another caller computes the value, because a caller
/// that only waits pays nothing.
pub(super) struct ComputePermit {
    shares: Arc<WorkShares>,
    caller: WorkCaller,
    /// `None` if it was taken or given back.
    held: Mutex<Option<WorkPermit>>,
}

impl ComputePermit {
    /// Waits for a permit before the computation: a refusal inside it would be that of every caller who waits
    /// for the value.
    ///
    /// # Errors
    /// `Work` or `Overloaded` if too many requests wait.
    pub(super) async fn acquire(shares: &Arc<WorkShares>, caller: &WorkCaller) -> Result<Self, Refusal> {
        let held = Mutex::new(Some(shares.acquire(caller).await?));
        Ok(Self { shares: shares.clone(), caller: caller.clone(), held })
    }

    /// Returns the permit, when the computation begins. If it was given back, because the other caller has
    /// left before the value was computed, this waits for another one.
    ///
    /// # Errors
    /// `Overloaded` if too many requests wait.
    pub(super) async fn take(&self) -> Result<WorkPermit, Refusal> {
        let held = self.held.lock().take();
        if let Some(permit) = held {
            return Ok(permit);
        }
        match self.shares.acquire(&self.caller).await {
            // The other callers that wait for the value receive this refusal, too, and it must not be about
            // this caller.
            Err(Refusal::Work(_)) => Err(Refusal::Overloaded),
            acquired => acquired,
        }
    }

    /// Waits for a value from a cache, whose computation takes this permit.
    pub(super) async fn wait_for<V>(&self, mut value: Pin<Box<impl Future<Output = V>>>) -> V {
        if let Poll::Ready(value) = poll_fn(|context| Poll::Ready(value.as_mut().poll(context))).await {
            return value;
        }
        // A computation begins at once, unless another caller has begun it.
        let unused = self.held.lock().take();
        drop(unused);
        value.await
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;
    use std::time::Duration;

    use futures_util::poll;
    use tokio::sync::oneshot;

    use super::*;
    use platform::cache::Cache;
    use platform::work_shares::ShareLimits;

    fn caller(last: u8) -> WorkCaller {
        WorkCaller { address: IpAddr::from([192, 0, 2, last]), account: None }
    }

    #[tokio::test]
    async fn a_caller_that_waits_for_another_gives_its_permit_back() {
        let limits = ShareLimits { permits: 2, max_waiting: 4, timeout: Duration::from_mins(5) };
        let shares = WorkShares::new(limits);
        let cache: Cache<u8, u8> = Cache::new("permits", 1 << 20, None, |_| 1);
        let first = ComputePermit::acquire(&shares, &caller(1)).await.ok().unwrap();
        let second = ComputePermit::acquire(&shares, &caller(2)).await.ok().unwrap();
        let (release, released) = oneshot::channel::<()>();
        let computing = cache.get_or_compute(1, |_| true, async {
            let _permit = first.take().await?;
            let _ = released.await;
            Ok::<u8, Refusal>(7)
        });
        let waiting = cache.get_or_compute(1, |_| true, async {
            let _permit = second.take().await?;
            Ok::<u8, Refusal>(8)
        });
        let mut computed = Box::pin(first.wait_for(Box::pin(computing)));
        let mut awaited = Box::pin(second.wait_for(Box::pin(waiting)));
        assert!(poll!(&mut computed).is_pending());
        assert!(poll!(&mut awaited).is_pending());
        let third = poll!(Box::pin(shares.acquire(&caller(3))));
        assert!(third.is_ready(), "only the first holds its permit");
        release.send(()).unwrap();
        assert_eq!((computed.await.ok(), awaited.await.ok()), (Some(7), Some(7)));
    }
}
