//! Reads the activity on the canvas in a period, and caches that of long ones.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use platform::cache::Cache;
use platform::concurrency::join;
use platform::refusal::Refusal;
use platform::work_shares::WorkCaller;
use rules::numbers::Seq;

use super::compute_permit::ComputePermit;
use super::period_activity::{AskedPeriod, PeriodActivity, PeriodQuery};
use super::store::period;
use super::{History, HistoryPermit, store};

/// The number of events from which on the activity of a period is cached.
const MIN_CACHED_EVENTS: i64 = 2_000;
/// The time for which it is cached.
const CACHE_TTL: TimeDelta = TimeDelta::seconds(10);
const MAX_CACHE_BYTES: u32 = 4 << 20;
/// The approximate size of a row of an activity, in bytes.
const ROW_BYTES: usize = 256;

/// Returns true if the activity of a period is cached.
fn is_long(query: &PeriodQuery) -> bool {
    query.to.seq.events_since(query.after()) >= MIN_CACHED_EVENTS
}

/// Activities of long periods.
pub(super) type PeriodCache = Cache<AskedPeriod, Arc<PeriodActivity>>;

/// Returns an empty cache of activities.
pub(super) fn new_cache() -> PeriodCache {
    Cache::new("period", MAX_CACHE_BYTES, None, |activity: &Arc<PeriodActivity>| {
        let PeriodActivity { steps, painters, places, plans, .. } = &**activity;
        ROW_BYTES * (steps.len() + painters.len() + places.len() + plans.len())
    })
}

impl History {
    /// Returns what happened in a period. If the period has more than
    /// [`MAX_PERIOD_EVENTS`](super::period_activity::MAX_PERIOD_EVENTS) events, only its newest ones are
    /// read. The result for a long period may be ten seconds old, because many visitors ask for the same
    /// period.
    ///
    /// # Errors
    /// Returns `Work` or `Overloaded` if too many requests wait.
    pub async fn period_activity(
        &self,
        caller: &WorkCaller,
        query: PeriodQuery,
    ) -> Result<Arc<PeriodActivity>, Refusal> {
        if !is_long(&query) {
            let permit = self.acquire_read_permit(caller).await?;
            return self.read_period(permit, query).await;
        }
        let now = self.state.clock.now();
        let is_current = |known: &Arc<PeriodActivity>| now - known.read_at < CACHE_TTL;
        if let Some(known) = self.periods.get_if(&query.asked, is_current) {
            return Ok(known);
        }
        let permit = ComputePermit::acquire(&self.reads, caller).await?;
        let compute = async { self.read_period(permit.take().await?, query).await };
        permit.wait_for(Box::pin(self.periods.get_or_compute(query.asked, is_current, compute))).await
    }

    async fn read_period(
        &self,
        permit: HistoryPermit,
        query: PeriodQuery,
    ) -> Result<Arc<PeriodActivity>, Refusal> {
        let pool = self.state.pool.clone();
        let now = self.state.clock.now();
        let task = self.runtime.spawn(async move {
            let activity = period::read_activity(&pool, query, now).await;
            drop(permit);
            activity
        });
        Ok(Arc::new(join("reading the activity of a period", task).await??))
    }

    /// Returns the time of an event, or `None` if there is no such event.
    pub async fn time_of(&self, seq: Seq) -> Result<Option<DateTime<Utc>>, Refusal> {
        Ok(store::event_time(&mut *self.state.pool.acquire().await?, seq).await?)
    }
}
