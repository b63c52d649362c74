//! Looks up the numbers of an agent for an answer to it: mostly in memory, and never for long.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use caraplace_live::unread_changes::UnreadGeneration;
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use chrono::TimeDelta;
use governor::{DefaultDirectRateLimiter, Quota};
use platform::cache::Cache;
use rules::numbers::AccountNo;
use tokio::sync::Semaphore;
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
/// The number of first look-ups at a time. When many agents come at once, the others wait for a permit.
const MAX_FIRST_LOOK_UPS: usize = 2;

/// The numbers of agents that have acted lately.
pub struct AttentionCache {
    entries: Cache<AccountNo, Arc<LoadedNumbers>>,
    /// Copies of some of the entries. Each placement finds one, which costs less here than in the cache.
    recent: RecentByAgent<LoadedNumbers>,
    refresh_limiter: DefaultDirectRateLimiter,
    first_look_ups: Semaphore,
}

impl Default for AttentionCache {
    fn default() -> Self {
        let quota = Quota::per_second(REFRESHES_PER_SECOND).allow_burst(REFRESH_BURST);
        Self {
            entries: Cache::new("attention", MAX_CACHED_BYTES, None, |_| NUMBERS_BYTES),
            recent: RecentByAgent::default(),
            refresh_limiter: DefaultDirectRateLimiter::direct(quota),
            first_look_ups: Semaphore::new(MAX_FIRST_LOOK_UPS),
        }
    }
}

impl AttentionCache {
    /// Returns the numbers for an answer to an agent, or `None` if they could not be read in time. What the
    /// request itself has read counts as read.
    pub async fn look_up(&self, state: &AppState, agent: &Identity) -> Option<Attention> {
        let generation = state.hub.unread_changes.generation(agent.no);
        let numbers = match self.find(agent.no) {
            Some(known) if !self.must_refresh(&known, generation, state) => known,
            // Boxed, because the future is large and every answer would reserve its size.
            known => Box::pin(self.read_in_time(state, agent, known)).await?,
        };
        Some(numbers.attention(state, agent))
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

    /// Reads the numbers of an agent. If that takes too long, returns those in memory, which are better than
    /// none unless something private has changed since.
    async fn read_in_time(
        &self,
        state: &AppState,
        agent: &Identity,
        known: Option<Arc<LoadedNumbers>>,
    ) -> Option<Arc<LoadedNumbers>> {
        let reading = self.read(state, agent, known.is_none());
        let read = timeout(LOOK_UP_TIMEOUT, reading).await.ok().flatten();
        read.or_else(|| {
            let generation = state.hub.unread_changes.generation(agent.no);
            known.filter(|known| !has_private_news(known, generation))
        })
    }

    /// Reads the numbers of an agent, with everything that was known before this call; `None` if that fails.
    /// The first look-up of an agent waits for a permit.
    async fn read(&self, state: &AppState, agent: &Identity, is_first: bool) -> Option<Arc<LoadedNumbers>> {
        let since = state.clock.now();
        let wanted = state.hub.unread_changes.generation(agent.no);
        let is_new = move |numbers: &Arc<LoadedNumbers>| {
            let known = numbers.generation;
            numbers.loaded_at >= since
                && known.account >= wanted.account
                && known.addressed >= wanted.addressed
        };
        let _permit = if is_first { Some(self.first_look_ups.acquire().await.ok()?) } else { None };
        let reading = self.entries.get_or_compute(agent.no, is_new, LoadedNumbers::load(state, agent));
        let numbers = reading.await.ok()?;
        self.recent.insert(agent.no, numbers.clone());
        Some(numbers)
    }
}

/// Returns true if something private may have changed for the agent since its numbers were read.
fn has_private_news(numbers: &LoadedNumbers, now: UnreadGeneration) -> bool {
    numbers.generation.account != now.account
}

/// Returns true if numbers are old, or if public messages since may be addressed to the agent.
fn is_outdated(numbers: &LoadedNumbers, now: UnreadGeneration, state: &AppState) -> bool {
    state.clock.now() - numbers.loaded_at > MAX_AGE || numbers.generation.addressed != now.addressed
}
