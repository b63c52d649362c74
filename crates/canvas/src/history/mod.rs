//! History: the canvas and the log at any point in time, computed from snapshots and the placements after
//! them.

mod archived_pixel;
pub mod area;
pub mod canvas;
mod compute_permit;
pub mod event_range;
mod period;
pub mod period_activity;
pub mod point_in_time;
pub mod snapshots;
mod store;
pub mod timelapse;
pub mod timeline;

use std::sync::Arc;
use std::time::Duration;

use caraplace_log::season::{ArchivedSeason, Season};
use caraplace_log::state::AppState;
use chrono::{DateTime, Utc};
use platform::cache::Cache;
use platform::concurrency::join;
use platform::refusal::Refusal;
use platform::work_shares::{ShareLimits, WorkCaller, WorkPermit, WorkShares};
use rules::numbers::Seq;
use tokio::runtime::Handle;

use canvas::HistoricalCanvas;
use period::PeriodCache;
use timelapse::TimelapseCache;
use timeline::Timeline;

/// The limits of reads of history, so that they do not take all connections or processors. Renderings have
/// limits of their own of the same size, so that they never wait for reads.
const LIMITS: ShareLimits = ShareLimits { permits: 2, max_waiting: 256, timeout: Duration::from_secs(5) };
/// The maximum size of the canvas cache in bytes. A client that moves along the timeline soon requests a
/// nearby canvas.
const MAX_CANVAS_CACHE_BYTES: u32 = 20 << 20;

/// A permit to read or render history. A task that continues after its client disconnects keeps it.
pub type HistoryPermit = WorkPermit;

/// Reads history, and caches what was recently requested.
pub struct History {
    state: Arc<AppState>,
    /// The runtime in which rows are decoded and replayed, which is not that of the request threads.
    runtime: Handle,
    reads: Arc<WorkShares>,
    renderings: Arc<WorkShares>,
    /// Canvases by the newest event that they contain.
    canvases: Cache<Seq, Arc<HistoricalCanvas>>,
    /// Timelines by season and number of steps.
    timelines: Cache<(Seq, usize), Arc<Timeline>>,
    /// Activities of long periods.
    periods: PeriodCache,
    timelapses: TimelapseCache,
}

impl History {
    /// Creates the history of this log.
    ///
    /// # Panics
    /// Panics outside a Tokio runtime.
    pub fn new(state: Arc<AppState>) -> Self {
        Self {
            state,
            runtime: Handle::current(),
            reads: WorkShares::new(LIMITS),
            renderings: WorkShares::new(LIMITS),
            canvases: Cache::new("past_canvas", MAX_CANVAS_CACHE_BYTES, None, |canvas| canvas.pixels.len()),
            timelines: timeline::new_cache(),
            periods: period::new_cache(),
            timelapses: TimelapseCache::default(),
        }
    }

    /// Waits for a permit to read.
    ///
    /// # Errors
    /// Returns `Work` if the caller's address has too many requests, or `Overloaded` if all together have.
    pub async fn acquire_read_permit(&self, caller: &WorkCaller) -> Result<HistoryPermit, Refusal> {
        self.reads.acquire(caller).await
    }

    /// Waits for a permit to render what was read before.
    ///
    /// # Errors
    /// Returns `Work` if the caller's address has too many requests, or `Overloaded` if all together have.
    pub async fn acquire_render_permit(&self, caller: &WorkCaller) -> Result<HistoryPermit, Refusal> {
        self.renderings.acquire(caller).await
    }

    /// Returns the canvas after an event, or `None` if it is not cached.
    pub fn cached_canvas(&self, seq: Seq) -> Option<Arc<HistoricalCanvas>> {
        self.canvases.get(&seq)
    }

    /// Returns the canvas after an event of a season, and the permit with which it was read.
    ///
    /// # Errors
    /// Returns `Work` or `Overloaded` if too many requests wait.
    pub async fn read_canvas(
        self: &Arc<Self>,
        caller: &WorkCaller,
        season: Season,
        seq: Seq,
    ) -> Result<(Arc<HistoricalCanvas>, HistoryPermit), Refusal> {
        let permit = self.acquire_read_permit(caller).await?;
        let history = self.clone();
        let task = self.runtime.spawn(async move {
            let canvas =
                history.canvases.get_or_compute(seq, |_| true, history.compute_canvas(season, seq)).await?;
            Ok((canvas, permit))
        });
        join("reading a past canvas", task).await?
    }

    async fn compute_canvas(&self, season: Season, seq: Seq) -> Result<Arc<HistoricalCanvas>, Refusal> {
        let mut connection = self.state.pool.acquire().await?;
        let base = nearest_before(self.canvases.values(), season.seq, seq);
        let mut canvas =
            base.map_or_else(|| HistoricalCanvas::blank(season), |base| HistoricalCanvas::clone(&base));
        canvas.advance_to(&mut connection, seq).await?;
        Ok(Arc::new(canvas))
    }

    /// Returns an archived season by its last event. It ends at the time at which it was frozen, or with its
    /// last event if that is later.
    pub async fn archived_season(
        &self,
        last: Seq,
        frozen_at: Option<DateTime<Utc>>,
    ) -> Result<ArchivedSeason, Refusal> {
        let season = self.season_at(last).await?;
        let last_at = store::event_time(&mut *self.state.pool.acquire().await?, last).await?;
        let ended_at = frozen_at.max(last_at).map_or(season.opened_at, |end| end.max(season.opened_at));
        Ok(ArchivedSeason { season, last, ended_at })
    }

    /// Returns the season during which an event happened. A number before the first event gives the first
    /// season.
    pub async fn season_at(&self, seq: Seq) -> Result<Season, Refusal> {
        let current = self.state.read_world(|world| (world.season.seq <= seq).then(|| world.season.clone()));
        match current {
            Some(season) => Ok(season),
            None => Ok(store::season_at(&self.state.pool, seq).await?),
        }
    }
}

/// Returns the newest canvas between the opening of a season and an event, or `None` if there is none.
fn nearest_before(
    canvases: impl Iterator<Item = Arc<HistoricalCanvas>>,
    opening: Seq,
    seq: Seq,
) -> Option<Arc<HistoricalCanvas>> {
    canvases.filter(|canvas| (opening..=seq).contains(&canvas.seq)).max_by_key(|canvas| canvas.seq)
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use rules::grid::Size;

    use super::*;

    fn canvas(seq: i64, side: u16) -> Arc<HistoricalCanvas> {
        let season = Season {
            id: "season_a".into(),
            title: "One".into(),
            size: Size { width: side, height: side },
            seq: Seq(1),
            opened_at: DateTime::UNIX_EPOCH,
        };
        Arc::new(HistoricalCanvas { seq: Seq(seq), ..HistoricalCanvas::blank(season) })
    }

    #[test]
    fn nearest_before_is_of_the_same_season() {
        let newest = |opening, seq| {
            nearest_before([5, 9, 20].map(|seq| canvas(seq, 8)).into_iter(), Seq(opening), Seq(seq))
                .map(|canvas| canvas.seq.0)
        };
        assert_eq!((newest(1, 19), newest(1, 9), newest(1, 4)), (Some(9), Some(9), None));
        assert_eq!((newest(10, 19), newest(10, 3)), (None, None));
    }
}
