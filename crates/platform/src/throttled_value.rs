//! A value that is computed on demand: by one request at a time, at a limited rate, and shared by all that
//! wait.

use std::num::NonZeroU32;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::future::{Either, select};
use governor::{DefaultDirectRateLimiter, Quota};
use tokio::sync::watch;
use tokio::time::timeout;

use crate::refusal::Refusal;
use crate::telemetry::{CacheMeter, METRICS};

/// The number of computations in a burst, so that a client that acts and then reads sees the result, and the
/// rate per second afterwards.
const COMPUTATION_BURST: NonZeroU32 = NonZeroU32::new(10).unwrap();
const COMPUTATIONS_PER_SECOND: NonZeroU32 = NonZeroU32::new(2).unwrap();
/// The time to wait for a value that another request computes.
const WAIT_TIMEOUT: Duration = Duration::from_secs(5);

/// The newest value, and the state from which the next one is computed.
pub struct ThrottledValue<State, Value> {
    /// Locked by the request that computes.
    state: tokio::sync::Mutex<State>,
    newest: watch::Sender<Newest<Value>>,
    /// The number of computations that have begun.
    begun: AtomicU64,
    limiter: DefaultDirectRateLimiter,
    meter: CacheMeter,
}

/// The results of the computations so far.
struct Newest<Value> {
    value: Option<Arc<Value>>,
    /// The number of the newest computation that has ended.
    last_ended: u64,
    /// The result of that computation. It has no meaning if there was none.
    result: Result<Arc<Value>, Refusal>,
}

impl<State: Default, Value> ThrottledValue<State, Value> {
    /// Returns an empty value with the default rate. `name` is the label of its metrics.
    pub fn new(name: &str) -> Self {
        Self::with_rate(name, COMPUTATION_BURST, COMPUTATIONS_PER_SECOND)
    }

    /// Returns an empty value with this burst and this rate per second. `name` is the label of its metrics.
    pub fn with_rate(name: &str, burst: NonZeroU32, per_second: NonZeroU32) -> Self {
        let newest = Newest { value: None, last_ended: 0, result: Err(Refusal::Unavailable) };
        Self {
            state: tokio::sync::Mutex::default(),
            newest: watch::Sender::new(newest),
            begun: AtomicU64::new(0),
            limiter: DefaultDirectRateLimiter::direct(Quota::per_second(per_second).allow_burst(burst)),
            meter: METRICS.caches.meter(name),
        }
    }

    /// Returns the newest computed value, or `None` if it is not current.
    pub fn newest_if(&self, is_current: impl Fn(&Value) -> bool) -> Option<Arc<Value>> {
        let newest = self.newest_value();
        let value = newest.filter(|value| is_current(value))?;
        self.meter.hits.inc();
        Some(value)
    }

    /// Returns a value that was computed after this call, or the previous one if there are many requests.
    ///
    /// # Errors
    /// The errors of `compute_value`, and `Unavailable` if another request takes too long to compute it and
    /// there is no previous value.
    pub async fn get(
        &self,
        compute_value: impl AsyncFnOnce(&mut State) -> Result<Value, Refusal>,
    ) -> Result<Arc<Value>, Refusal> {
        let begun_at_call = self.begun.load(Ordering::SeqCst);
        let mut newest = self.newest.subscribe();
        let ended_at_call = newest.borrow().last_ended;
        if let Some(value) = self.newest_if(|_| self.limiter.check().is_err()) {
            return Ok(value);
        }
        // All waiters are woken by a result, so that none of them holds up those after it.
        let result = pin!(newest.wait_for(|newest| newest.is_result_for(begun_at_call, ended_at_call)));
        let state = pin!(self.state.lock());
        let mut state = match timeout(WAIT_TIMEOUT, select(result, state)).await {
            Ok(Either::Left((Ok(newest), _))) => {
                self.meter.hits.inc_by(u64::from(newest.result.is_ok()));
                return newest.result.clone();
            }
            Ok(Either::Right((state, _))) => state,
            Ok(Either::Left((Err(_), _))) | Err(_) => return self.newest_value().ok_or(Refusal::Unavailable),
        };
        self.meter.misses.inc();
        let number = self.begun.fetch_add(1, Ordering::SeqCst) + 1;
        let result = compute_value(&mut state).await.map(Arc::new);
        self.newest.send_modify(|newest| {
            newest.last_ended = number;
            newest.result.clone_from(&result);
            if let Ok(value) = &result {
                newest.value = Some(value.clone());
            }
        });
        result
    }

    fn newest_value(&self) -> Option<Arc<Value>> {
        self.newest.borrow().value.clone()
    }
}

impl<Value> Newest<Value> {
    /// Returns true if the result is one for a call at which so many computations had begun, and that one
    /// was the last to end. A value must be from a computation that began after the call, because it then
    /// includes everything that the caller knew. A failure is shared by all that waited for it.
    fn is_result_for(&self, begun_at_call: u64, ended_at_call: u64) -> bool {
        self.last_ended > begun_at_call || self.result.is_err() && self.last_ended > ended_at_call
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::future::{join, join_all};
    use futures_util::poll;

    #[tokio::test]
    async fn single_caller_gets_newest_value_and_concurrent_callers_share() {
        let throttled: ThrottledValue<u64, u64> = ThrottledValue::new("fresh");
        let next = || {
            throttled.get(async |state: &mut u64| {
                tokio::task::yield_now().await;
                *state += 1;
                Ok(*state)
            })
        };
        for expected in 1..=5 {
            assert_eq!(*next().await.unwrap(), expected);
        }
        let values = join_all((0..500).map(|_| next())).await;
        assert!(values.iter().all(|value| *value.as_ref().unwrap().as_ref() <= 7));
    }

    #[tokio::test]
    async fn failure_leaves_previous_value() {
        let throttled: ThrottledValue<(), u64> = ThrottledValue::new("fresh");
        assert!(throttled.get(async |()| Err(Refusal::Unavailable)).await.is_err());
        assert_eq!(*throttled.get(async |()| Ok(3)).await.unwrap(), 3);
        assert!(throttled.get(async |()| Err(Refusal::Unavailable)).await.is_err());
        assert_eq!(throttled.newest_if(|_| true).as_deref(), Some(&3), "the value before a failure stays");
    }

    #[tokio::test]
    async fn waiter_computes_if_first_caller_is_dropped() {
        let throttled: ThrottledValue<(), u64> = ThrottledValue::new("away");
        let mut first = Box::pin(throttled.get(async |()| std::future::pending().await));
        assert!(poll!(&mut first).is_pending());
        let second = throttled.get(async |()| Ok(2));
        assert_eq!(*join(second, async move { drop(first) }).await.0.unwrap(), 2);
    }

    #[tokio::test]
    async fn waiters_share_a_failure() {
        let throttled: ThrottledValue<u64, u64> = ThrottledValue::new("failures");
        let fail = || {
            throttled.get(async |attempts: &mut u64| {
                tokio::task::yield_now().await;
                *attempts += 1;
                Err(Refusal::Unavailable)
            })
        };
        assert!(join_all((0..9).map(|_| fail())).await.iter().all(Result::is_err));
        let attempts = throttled.get(async |attempts: &mut u64| Ok(*attempts)).await.unwrap();
        assert_eq!(*attempts, 1, "eight waited for the first computation, and share its failure");
    }
}
