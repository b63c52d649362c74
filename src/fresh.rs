//! A value that is made when someone asks: by one at a time, at most so often, and for all who wait.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use governor::{DefaultDirectRateLimiter, Quota};
use parking_lot::Mutex;
use tokio::time::timeout;

use crate::refusal::Refusal;

/// How often at once, so that whoever acts and then looks sees what was done; and how often per second later on.
const AT_ONCE: NonZeroU32 = NonZeroU32::new(10).unwrap();
const PER_SECOND: NonZeroU32 = NonZeroU32::new(2).unwrap();
/// How long to wait for a value that another request is making.
const PATIENCE: Duration = Duration::from_secs(5);

/// The newest value, and what the next one is made from.
pub struct Fresh<State, Value> {
    state: tokio::sync::Mutex<State>,
    newest: Mutex<Option<Made<Value>>>,
    rounds: AtomicU64,
    pace: DefaultDirectRateLimiter,
}

/// A value and the round it was made in.
struct Made<Value> {
    value: Arc<Value>,
    round: u64,
}

impl<State: Default, Value> Default for Fresh<State, Value> {
    fn default() -> Self {
        Self::paced(AT_ONCE, PER_SECOND)
    }
}

impl<State: Default, Value> Fresh<State, Value> {
    /// One that is made so often at once, and per second later on.
    pub fn paced(at_once: NonZeroU32, per_second: NonZeroU32) -> Self {
        Self {
            state: tokio::sync::Mutex::default(),
            newest: Mutex::new(None),
            rounds: AtomicU64::new(0),
            pace: DefaultDirectRateLimiter::direct(Quota::per_second(per_second).allow_burst(at_once)),
        }
    }
}

impl<State, Value> Fresh<State, Value> {
    /// The newest value that was made.
    pub fn newest(&self) -> Option<Arc<Value>> {
        self.made_in(0)
    }

    /// A value made after this was called; or, while many ask, the one before.
    ///
    /// # Errors
    /// Those of `make`; `Unavailable` when another request takes too long over it.
    pub async fn get(
        &self,
        make: impl AsyncFnOnce(&mut State) -> Result<Value, Refusal>,
    ) -> Result<Arc<Value>, Refusal> {
        let asked = self.rounds.load(Ordering::SeqCst);
        if let Some(value) = self.newest()
            && self.pace.check().is_err()
        {
            return Ok(value);
        }
        let Ok(mut state) = timeout(PATIENCE, self.state.lock()).await else {
            return self.newest().ok_or(Refusal::Unavailable);
        };
        // Begun after this was asked, so it knows all that there was.
        if let Some(value) = self.made_in(asked + 1) {
            return Ok(value);
        }
        let round = self.rounds.fetch_add(1, Ordering::SeqCst) + 1;
        let value = Arc::new(make(&mut state).await?);
        *self.newest.lock() = Some(Made { value: value.clone(), round });
        Ok(value)
    }

    fn made_in(&self, round: u64) -> Option<Arc<Value>> {
        self.newest.lock().as_ref().filter(|made| made.round >= round).map(|made| made.value.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::future::join_all;

    #[tokio::test]
    async fn who_asks_alone_gets_the_newest_and_a_crowd_shares() {
        let fresh: Fresh<u64, u64> = Fresh::default();
        let next = || {
            fresh.get(async |state: &mut u64| {
                tokio::task::yield_now().await;
                *state += 1;
                Ok(*state)
            })
        };
        for expected in 1..=5 {
            assert_eq!(*next().await.unwrap(), expected);
        }
        let crowd = join_all((0..500).map(|_| next())).await;
        assert!(crowd.iter().all(|value| *value.as_ref().unwrap().as_ref() <= 7));
    }

    #[tokio::test]
    async fn nothing_is_kept_of_a_failure() {
        let fresh: Fresh<(), u64> = Fresh::default();
        assert!(fresh.get(async |()| Err(Refusal::Unavailable)).await.is_err());
        assert_eq!(*fresh.get(async |()| Ok(3)).await.unwrap(), 3);
    }
}
