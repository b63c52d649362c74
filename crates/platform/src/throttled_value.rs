//! A value that is computed on demand: by one request at a time, at a limited rate, and shared by all that
//! wait.

use std::num::NonZeroU32;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use governor::{DefaultDirectRateLimiter, Quota};
use tokio::time::timeout;

use crate::cache::Cache;
use crate::refusal::Refusal;

/// The number of computations in a burst, so that a client that acts and then reads sees the result, and the
/// rate per second afterwards.
const COMPUTATION_BURST: NonZeroU32 = NonZeroU32::new(10).unwrap();
const COMPUTATIONS_PER_SECOND: NonZeroU32 = NonZeroU32::new(2).unwrap();
/// The time to wait for a value that another request computes.
const WAIT_TIMEOUT: Duration = Duration::from_secs(5);

/// The newest value, and the state from which the next one is computed.
pub struct ThrottledValue<State, Value> {
    state: tokio::sync::Mutex<State>,
    /// The newest value and the round in which it was computed.
    newest: Cache<(), (Arc<Value>, u64)>,
    rounds: AtomicU64,
    limiter: DefaultDirectRateLimiter,
}

impl<State: Default, Value: Send + Sync + 'static> ThrottledValue<State, Value> {
    /// Returns an empty value with the default rate. `name` is the label of its metrics.
    pub fn new(name: &str) -> Self {
        Self::with_rate(name, COMPUTATION_BURST, COMPUTATIONS_PER_SECOND)
    }

    /// Returns an empty value with this burst and this rate per second. `name` is the label of its metrics.
    pub fn with_rate(name: &str, burst: NonZeroU32, per_second: NonZeroU32) -> Self {
        Self {
            state: tokio::sync::Mutex::default(),
            // There is one entry, which stays whatever its size.
            newest: Cache::new(name, 1, None, |_| 0),
            rounds: AtomicU64::new(0),
            limiter: DefaultDirectRateLimiter::direct(Quota::per_second(per_second).allow_burst(burst)),
        }
    }

    /// Returns the newest computed value, or `None` if it is not current.
    pub fn newest_if(&self, is_current: impl Fn(&Value) -> bool) -> Option<Arc<Value>> {
        self.newest.get_if(&(), |(value, _)| is_current(value)).map(|(value, _)| value)
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
        let round_at_call = self.rounds.load(Ordering::SeqCst);
        if let Some(value) = self.newest_if(|_| self.limiter.check().is_err()) {
            return Ok(value);
        }
        let (previous, is_own) = (self.newest.peek(&()), AtomicBool::new(false));
        let computation = async {
            is_own.store(true, Ordering::Relaxed);
            let mut state = self.state.lock().await;
            let round = self.rounds.fetch_add(1, Ordering::SeqCst) + 1;
            Ok((Arc::new(compute_value(&mut state).await?), round))
        };
        // A round that began after this call includes everything that the caller knows.
        let is_current = |(_, round): &(Arc<Value>, u64)| *round > round_at_call;
        let mut newest = pin!(self.newest.get_or_compute((), is_current, computation));
        let result = match timeout(WAIT_TIMEOUT, &mut newest).await {
            Ok(made) => made,
            // There is no time limit on what this request computes itself.
            Err(_) if is_own.load(Ordering::Relaxed) => newest.await,
            Err(_) => previous.ok_or(Refusal::Unavailable),
        };
        result.map(|(value, _)| value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::future::join_all;

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
}
