//! Looks up the numbers of an agent while its request is handled: mostly in memory, and never for long.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use caraplace_live::unread_changes::UnreadGeneration;
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use chrono::TimeDelta;
use governor::{DefaultDirectRateLimiter, Quota};
use platform::cache::Cache;
use platform::refusal::Refusal;
use rules::numbers::AccountNo;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::Attention;
use super::numbers::LoadedNumbers;
use super::recent::RecentByAgent;

/// The largest size of the cache, and the approximate size of the numbers of one agent.
const MAX_CACHED_BYTES: u32 = 16 << 20;
const NUMBERS_BYTES: usize = 512;
/// The age from which numbers are read again although this instance knows of no news: an agent may have read
/// on another one.
const MAX_AGE: TimeDelta = TimeDelta::seconds(30);
/// The time that an answer may wait for the numbers.
const LOOK_UP_TIMEOUT: Duration = Duration::from_millis(500);
/// The number of look-ups per second, and in a burst, for numbers in memory that are old or may have changed
/// with a public message. Beyond this limit, answers contain the old numbers, so that painting keeps its
/// speed. Numbers that private news may have changed are always looked up.
const REFRESHES_PER_SECOND: NonZeroU32 = NonZeroU32::new(5).unwrap();
const REFRESH_BURST: NonZeroU32 = NonZeroU32::new(20).unwrap();
/// The number of first look-ups at a time. When many agents come at once, the others wait for a permit, each
/// no longer than its answer may wait.
const MAX_FIRST_LOOK_UPS: usize = 2;

/// The numbers of agents that have acted lately.
pub struct AttentionCache {
    entries: Cache<AccountNo, Arc<LoadedNumbers>>,
    /// Copies of some of the entries. Each placement finds one, which costs less here than in the cache.
    recent: RecentByAgent<LoadedNumbers>,
    refresh_limiter: DefaultDirectRateLimiter,
    first_look_ups: Arc<Semaphore>,
}

/// A look-up that was begun with a request, and is finished with its answer.
pub struct LookUp {
    agent: Arc<Identity>,
    source: LookUpSource,
}

enum LookUpSource {
    Cached(Arc<LoadedNumbers>),
    Loading {
        /// Returns `None` if the numbers could not be read.
        task: JoinHandle<Option<Arc<LoadedNumbers>>>,
        /// The numbers in memory; `None` if there are none.
        known: Option<Arc<LoadedNumbers>>,
    },
}

impl Default for AttentionCache {
    fn default() -> Self {
        let quota = Quota::per_second(REFRESHES_PER_SECOND).allow_burst(REFRESH_BURST);
        Self {
            entries: Cache::new("attention", MAX_CACHED_BYTES, None, |_| NUMBERS_BYTES),
            recent: RecentByAgent::default(),
            refresh_limiter: DefaultDirectRateLimiter::direct(quota),
            first_look_ups: Arc::new(Semaphore::new(MAX_FIRST_LOOK_UPS)),
        }
    }
}

impl AttentionCache {
    /// Begins a look-up for an agent. Numbers that are not in memory are read while the request is handled.
    pub fn begin(&self, state: &Arc<AppState>, agent: &Arc<Identity>) -> LookUp {
        let generation = state.hub.unread_changes.generation(agent.no);
        let source = match self.find(agent.no) {
            None => LookUpSource::Loading { task: tokio::spawn(self.load_first(state, agent)), known: None },
            Some(known) if self.must_refresh(&known, generation, state) => {
                let numbers = self.load(state, agent);
                let task = tokio::spawn(async move { numbers.await.ok() });
                LookUpSource::Loading { task, known: Some(known) }
            }
            Some(numbers) => LookUpSource::Cached(numbers),
        };
        LookUp { agent: agent.clone(), source }
    }

    /// Returns the numbers of an agent that are in memory.
    fn find(&self, agent: AccountNo) -> Option<Arc<LoadedNumbers>> {
        self.recent.find(agent).or_else(|| {
            let numbers = self.entries.peek(&agent)?;
            self.recent.insert(agent, numbers.clone());
            Some(numbers)
        })
    }

    /// Returns true if numbers in memory must be read again: always after private news, and if they are
    /// outdated, as often as the limiter of refreshes allows.
    fn must_refresh(&self, numbers: &LoadedNumbers, now: UnreadGeneration, state: &AppState) -> bool {
        has_private_news(numbers, now)
            || (is_outdated(numbers, now, state) && self.refresh_limiter.check().is_ok())
    }

    /// Returns a future that waits for a permit and reads the numbers of an agent that are not in memory. Its
    /// result is `None` if there was no permit in time, or if the numbers cannot be read.
    fn load_first(
        &self,
        state: &Arc<AppState>,
        agent: &Arc<Identity>,
    ) -> impl Future<Output = Option<Arc<LoadedNumbers>>> + Send + 'static {
        let permits = self.first_look_ups.clone();
        let numbers = self.load(state, agent);
        async move {
            let _permit = acquire_permit(&permits).await?;
            numbers.await.ok()
        }
    }

    /// Returns a future that reads the numbers of an agent. It includes everything that was known before this
    /// call.
    fn load(
        &self,
        state: &Arc<AppState>,
        agent: &Arc<Identity>,
    ) -> impl Future<Output = Result<Arc<LoadedNumbers>, Refusal>> + Send + 'static {
        let entries = self.entries.clone();
        let recent = self.recent.clone();
        let state = state.clone();
        let agent = agent.clone();
        let since = state.clock.now();
        let wanted = state.hub.unread_changes.generation(agent.no);
        async move {
            let is_new = move |numbers: &Arc<LoadedNumbers>| {
                let known = numbers.generation;
                numbers.loaded_at >= since
                    && known.account >= wanted.account
                    && known.addressed >= wanted.addressed
            };
            let numbers =
                entries.get_or_compute(agent.no, is_new, LoadedNumbers::load(&state, &agent)).await?;
            recent.insert(agent.no, numbers.clone());
            Ok(numbers)
        }
    }
}

impl LookUp {
    /// Returns the numbers for the answer, or `None` if they could not be read in time. What the request
    /// itself has read counts as read.
    pub async fn finish(self, cache: &AttentionCache, state: &Arc<AppState>) -> Option<Attention> {
        let Self { agent, source } = self;
        let generation = state.hub.unread_changes.generation(agent.no);
        let numbers = match source {
            LookUpSource::Cached(numbers) if !has_private_news(&numbers, generation) => numbers,
            // Boxed, because the future is large and every request would reserve its size.
            source => Box::pin(wait_for_numbers(source, cache, state, &agent)).await?,
        };
        Some(numbers.attention(state, &agent))
    }
}

/// Returns numbers that include all private news; `None` if they could not be read in time.
async fn wait_for_numbers(
    source: LookUpSource,
    cache: &AttentionCache,
    state: &Arc<AppState>,
    agent: &Arc<Identity>,
) -> Option<Arc<LoadedNumbers>> {
    let numbers = match source {
        LookUpSource::Cached(numbers) => numbers,
        LookUpSource::Loading { task, known } => {
            let loaded = timeout(LOOK_UP_TIMEOUT, task).await.ok().and_then(Result::ok).flatten();
            // Older numbers are better than none, unless something private has changed since.
            loaded.or(known)?
        }
    };
    if has_private_news(&numbers, state.hub.unread_changes.generation(agent.no)) {
        return timeout(LOOK_UP_TIMEOUT, cache.load(state, agent)).await.ok()?.ok();
    }
    Some(numbers)
}

/// Returns true if something private may have changed for the agent since its numbers were read.
fn has_private_news(numbers: &LoadedNumbers, now: UnreadGeneration) -> bool {
    numbers.generation.account != now.account
}

/// Waits for the permit of a first look-up; `None` if there is none in time. The time is limited here,
/// because a task goes on after the answer for which it was started: without the limit, tasks for answers
/// sent long ago would pile up.
async fn acquire_permit(permits: &Semaphore) -> Option<SemaphorePermit<'_>> {
    timeout(LOOK_UP_TIMEOUT, permits.acquire()).await.ok()?.ok()
}

/// Returns true if numbers are old, or if public messages since may be addressed to the agent.
fn is_outdated(numbers: &LoadedNumbers, now: UnreadGeneration, state: &AppState) -> bool {
    state.clock.now() - numbers.loaded_at > MAX_AGE || numbers.generation.addressed != now.addressed
}

#[cfg(test)]
mod tests {
    use futures_util::future::join_all;

    use super::*;

    #[tokio::test]
    async fn turns_that_do_not_come_in_time_are_given_up() {
        let permits = Semaphore::new(1);
        let held = acquire_permit(&permits).await.unwrap();
        let late = join_all((0..9).map(|_| acquire_permit(&permits))).await;
        assert!(late.iter().all(Option::is_none));
        drop(held);
        assert!(acquire_permit(&permits).await.is_some());
    }
}
