//! Looks up the numbers of an agent for an answer to it: mostly in memory, and never for long.

use std::collections::HashMap;
use std::mem;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use caraplace_live::unread_changes::UnreadGeneration;
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use chrono::TimeDelta;
use governor::{DefaultDirectRateLimiter, Quota};
use parking_lot::RwLock;
use rules::numbers::AccountNo;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::Attention;
use super::numbers::LoadedNumbers;

/// The maximum number of agents whose numbers are in memory. Beyond it all are dropped, and read again.
const MAX_AGENTS: usize = 50_000;
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
    /// A plain map, because each placement finds its agent here, and recording that, as the other caches do
    /// to evict what is least used, would cost a tenth of its time.
    numbers: RwLock<HashMap<AccountNo, Arc<LoadedNumbers>>>,
    refresh_limiter: DefaultDirectRateLimiter,
    first_look_ups: Semaphore,
}

impl Default for AttentionCache {
    fn default() -> Self {
        let quota = Quota::per_second(REFRESHES_PER_SECOND).allow_burst(REFRESH_BURST);
        Self {
            numbers: RwLock::default(),
            refresh_limiter: DefaultDirectRateLimiter::direct(quota),
            first_look_ups: Semaphore::new(MAX_FIRST_LOOK_UPS),
        }
    }
}

impl AttentionCache {
    /// Returns the numbers for an answer to an agent, or `None` if they could not be read in time. What the
    /// request itself has read counts as read.
    pub async fn look_up(
        self: &Arc<Self>,
        state: &Arc<AppState>,
        agent: &Arc<Identity>,
    ) -> Option<Attention> {
        let generation = state.hub.unread_changes.generation(agent.no);
        let numbers = match self.find(agent.no) {
            Some(known) if !self.must_refresh(&known, generation, state) => known,
            known => {
                let (cache, is_first) = (self.clone(), known.is_none());
                let (state_of_read, reader) = (state.clone(), agent.clone());
                // A task, so that numbers that come too late are in memory for the next answer.
                let reading =
                    tokio::spawn(async move { cache.read(&state_of_read, &reader, is_first).await });
                let read = timeout(LOOK_UP_TIMEOUT, reading).await.ok().and_then(Result::ok).flatten();
                // Older numbers are better than none.
                read.or_else(|| self.find_without_news(state, agent))?
            }
        };
        Some(numbers.attention(state, agent))
    }

    /// Returns the numbers of an agent that are in memory.
    fn find(&self, agent: AccountNo) -> Option<Arc<LoadedNumbers>> {
        self.numbers.read().get(&agent).cloned()
    }

    /// Returns the numbers of an agent that are in memory, unless something private may have changed since.
    fn find_without_news(&self, state: &AppState, agent: &Identity) -> Option<Arc<LoadedNumbers>> {
        let generation = state.hub.unread_changes.generation(agent.no);
        self.find(agent.no).filter(|known| !has_private_news(known, generation))
    }

    /// Returns true if numbers in memory must be read again: always after private news, and if they are
    /// outdated, as often as the limiter of refreshes allows.
    fn must_refresh(&self, numbers: &LoadedNumbers, now: UnreadGeneration, state: &AppState) -> bool {
        has_private_news(numbers, now)
            || (is_outdated(numbers, now, state) && self.refresh_limiter.check().is_ok())
    }

    /// Reads the numbers of an agent, and puts them in memory; `None` if they cannot be read. The first
    /// look-up of an agent waits for a permit, no longer than its answer may wait: without a limit, look-ups
    /// for answers sent long ago would pile up.
    async fn read(&self, state: &AppState, agent: &Identity, is_first: bool) -> Option<Arc<LoadedNumbers>> {
        let permit = self.first_look_ups.acquire();
        let _permit = if is_first { Some(timeout(LOOK_UP_TIMEOUT, permit).await.ok()?.ok()?) } else { None };
        // Another answer to the agent may have read them meanwhile.
        if is_first && let Some(numbers) = self.find_without_news(state, agent) {
            return Some(numbers);
        }
        let numbers = LoadedNumbers::load(state, agent).await.ok()?;
        self.insert(agent.no, numbers.clone());
        Some(numbers)
    }

    fn insert(&self, agent: AccountNo, numbers: Arc<LoadedNumbers>) {
        let mut all = self.numbers.write();
        let dropped = if all.len() >= MAX_AGENTS { mem::take(&mut *all) } else { HashMap::new() };
        all.insert(agent, numbers);
        drop(all);
        // Outside the lock, because placements wait for it.
        drop(dropped);
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
