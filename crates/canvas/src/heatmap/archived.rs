//! Heatmaps of archived seasons. They never change, so their ages are taken at the end of the season.

use std::sync::Arc;
use std::time::Duration;

use caraplace_log::season::ArchivedSeason;
use caraplace_log::state::AppState;
use platform::cache::Cache;
use platform::concurrency::{join, run_blocking, wait_for_permit};
use platform::content_coding::ContentCoding;
use platform::refusal::Refusal;
use rules::grid::Point;
use rules::numbers::Seq;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;

use super::count::{CountProgress, count_up_to, ready_count};
use super::pixel_stats::PixelStats;
use super::{
    COUNT_TASK, COUNT_TIMEOUT, Heatmap, HeatmapMetric, RENDER_PERMIT_TIMEOUT, RenderedHeatmap, etag_prefix,
    store,
};

/// The maximum size of the cache of counts, in bytes.
const MAX_STATS_BYTES: u32 = 32 << 20;
/// The maximum size of the cache of bodies, in bytes.
const MAX_BODY_BYTES: u32 = 16 << 20;
/// The time for which a body is cached: it has the names of agents, which may be changed.
const BODY_TTL: Duration = Duration::from_mins(1);

/// The heatmaps of archived seasons, and the counts that they are rendered from.
pub struct ArchivedHeatmaps {
    /// The runtime for counting, which is not that of the request threads.
    runtime: Handle,
    /// The count of the last requested season, until it is complete.
    progress: tokio::sync::Mutex<CountProgress>,
    render_permits: Semaphore,
    /// Complete counts by the opening of their season.
    stats: Cache<Seq, Arc<PixelStats>>,
    bodies: Cache<(Seq, HeatmapMetric, ContentCoding), Arc<RenderedHeatmap>>,
}

impl ArchivedHeatmaps {
    /// Creates an empty cache that counts in this runtime.
    pub fn new(runtime: Handle) -> Self {
        Self {
            runtime,
            progress: tokio::sync::Mutex::default(),
            render_permits: Semaphore::new(1),
            stats: Cache::new("archived_pixel_stats", MAX_STATS_BYTES, None, |stats| stats.size()),
            bodies: Cache::new("archived_heat", MAX_BODY_BYTES, Some(BODY_TTL), |body| body.bytes.len()),
        }
    }

    /// Returns the heatmap of a season at its end.
    ///
    /// # Errors
    /// Returns `Overloaded` if a long season is still being counted for the first time or too many requests
    /// wait.
    pub async fn get(
        self: &Arc<Self>,
        state: &Arc<AppState>,
        season: &ArchivedSeason,
        metric: HeatmapMetric,
        coding: ContentCoding,
    ) -> Result<Arc<RenderedHeatmap>, Refusal> {
        let stats = self.stats(state, season).await?;
        let key = (season.season.seq, metric, coding);
        let compute = self.render(state, season, stats, metric, coding);
        self.bodies.get_or_compute(key, |_| true, compute).await
    }

    /// Returns the second (since 1970) in which the newest placement on a pixel was made; `None` if the pixel
    /// was never painted in the season.
    ///
    /// # Errors
    /// As [`Self::get`].
    pub async fn painted_at(
        self: &Arc<Self>,
        state: &Arc<AppState>,
        season: &ArchivedSeason,
        point: Point,
    ) -> Result<Option<i64>, Refusal> {
        let stats = self.stats(state, season).await?;
        let index = season.season.size.index(point);
        Ok((stats.placement_counts[index] > 0).then(|| stats.painted_at[index].into()))
    }

    /// Returns the number of placements in each step of a season by which agents painted over pixels of other
    /// agents, given the last event of each step. `None` if a long season is not counted yet.
    pub(crate) async fn count_overpaints(
        self: &Arc<Self>,
        state: &Arc<AppState>,
        season: &ArchivedSeason,
        step_ends: &[Seq],
    ) -> Result<Option<Vec<i64>>, Refusal> {
        let count = async {
            let stats = self.stats(state, season).await?;
            Ok::<_, Refusal>(Some(stats.overpaints.counts_by_step(step_ends)))
        };
        ready_count(COUNT_TIMEOUT, count).await
    }

    async fn stats(
        self: &Arc<Self>,
        state: &Arc<AppState>,
        season: &ArchivedSeason,
    ) -> Result<Arc<PixelStats>, Refusal> {
        if let Some(stats) = self.stats.get(&season.season.seq) {
            return Ok(stats);
        }
        let heatmaps = self.clone();
        let state = state.clone();
        let season = season.clone();
        let task = self.runtime.spawn(async move {
            let compute = heatmaps.count(&state, &season);
            heatmaps.stats.get_or_compute(season.season.seq, |_| true, compute).await
        });
        join(COUNT_TASK, task).await?
    }

    /// Counts the placements of a season. What was counted is stored, also if there was no time for all of
    /// it: a request for another season in between does not start the count again.
    async fn count(&self, state: &AppState, season: &ArchivedSeason) -> Result<Arc<PixelStats>, Refusal> {
        let mut guard = self.progress.lock().await;
        let progress = &mut *guard;
        if progress.stats.as_ref().is_none_or(|stats| stats.season != season.season.seq) {
            *progress = CountProgress::default();
        }
        let counted = count_up_to(state, progress, &season.season, season.last, COUNT_TIMEOUT).await;
        let counted = counted.map(|_| ());
        let stored_up_to = progress.stored_up_to;
        if let Some(stats) = progress.stats.as_ref().filter(|stats| stats.up_to > stored_up_to) {
            store::store_stats(&state.pool, stats).await?;
            progress.stored_up_to = stats.up_to;
        }
        counted?;
        std::mem::take(progress).stats.map(Arc::new).ok_or(Refusal::Overloaded)
    }

    async fn render(
        &self,
        state: &AppState,
        season: &ArchivedSeason,
        stats: Arc<PixelStats>,
        metric: HeatmapMetric,
        coding: ContentCoding,
    ) -> Result<Arc<RenderedHeatmap>, Refusal> {
        let _permit = wait_for_permit(RENDER_PERMIT_TIMEOUT, self.render_permits.acquire()).await?;
        let shown = season.season.clone();
        let ended_at = season.ended_at;
        let values = move || Ok::<_, &str>(Heatmap::from_stats(&stats, &shown, metric, ended_at));
        let (mut heatmap, owners) = run_blocking(COUNT_TASK, values).await?;
        if metric == HeatmapMetric::Painter {
            heatmap.agents = Some(store::find_owners(&state.pool, &owners).await?);
        }
        run_blocking("encoding an archived heatmap", move || {
            let bytes = coding.encode(serde_json::to_vec(&heatmap)?)?;
            let prefix = etag_prefix(&heatmap.season, heatmap.version, metric, ended_at);
            std::io::Result::Ok(Arc::new(RenderedHeatmap::new(prefix, heatmap.version, coding, bytes)))
        })
        .await
    }
}
