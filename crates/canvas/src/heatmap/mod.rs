//! Heatmaps: one number for each pixel, by its last painter, its age, or its number of placements.

pub mod archived;
mod count;
mod event_set;
mod pixel_stats;
mod store;
mod values;

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use caraplace_log::state::AppState;
use chrono::{DateTime, DurationRound as _, TimeDelta, Utc};
use platform::cache::Cache;
use platform::concurrency::{join, wait_for_permit};
use platform::content_coding::ContentCoding;
use platform::refusal::Refusal;
use platform::throttled_value::ThrottledValue;
use rules::ids::AgentId;
use rules::numbers::{AccountNo, Seq};
use serde::Serialize;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::time::timeout;
use utoipa::ToSchema;

use super::formats::{CanvasRegion, short_season_id};
use super::render_threads;
use super::store::find_agent_number;
use count::{CountProgress, catch_up, ready_count};
use pixel_stats::PixelOwner;

/// The burst and the rate per second at which one heatmap may be rendered. The burst lets an agent see its
/// own placement at once.
const RENDER_BURST: NonZeroU32 = NonZeroU32::new(4).unwrap();
const RENDERS_PER_SECOND: NonZeroU32 = NonZeroU32::new(1).unwrap();
/// The time after which a request stops counting. The next request continues from there.
const COUNT_TIMEOUT: Duration = Duration::from_secs(3);
/// The time that a request waits for a permit to render.
const RENDER_PERMIT_TIMEOUT: Duration = Duration::from_secs(5);
/// The time that a request waits for a count that it can do without.
const OPTIONAL_COUNT_TIMEOUT: Duration = Duration::from_millis(500);
/// The time that a timeline of the current season waits for a count, because the page's first view shows one.
const TIMELINE_COUNT_TIMEOUT: Duration = Duration::from_millis(100);
/// The step to which the reference time of ages is rounded, so that requests within it share a heatmap.
const AGE_STEP: TimeDelta = TimeDelta::seconds(5);
/// The maximum size of the cache of compressed bodies, in bytes.
const MAX_CACHE_BYTES: u32 = 64 << 20;
/// The number of newly counted events after which the counts are stored for the next start.
const STORE_INTERVAL_EVENTS: i64 = 1_000_000;
/// The task's name in the log.
const COUNT_TASK: &str = "counting placements";

/// The meaning of a heatmap's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum HeatmapMetric {
    /// The agent that painted the pixel last.
    Painter,
    /// The time since the pixel was painted last.
    Age,
    /// The number of placements on the pixel.
    Contested,
}

/// A heatmap: one number for each pixel of the canvas.
#[derive(Debug, Serialize, ToSchema)]
pub struct Heatmap {
    pub width: u16,
    pub height: u16,
    /// Sequence number of the last event that changed a pixel.
    #[schema(value_type = i64)]
    pub version: Seq,
    /// `season_…`.
    pub season: String,
    pub by: HeatmapMetric,
    /// With `by=painter`: the agents that own pixels now, the one with the most first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agents: Option<Vec<PixelOwner>>,
    /// With `by=age`: the time at which the ages were taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<DateTime<Utc>>,
    /// Row by row from the top left. With `by=painter`: position of the pixel's agent in `agents`, counted
    /// from 1, or 0 if the pixel is blank. With `by=age`: seconds since the newest placement, or -1 if the
    /// pixel is blank. With `by=contested`: number of placements.
    pub values: Vec<i32>,
}

/// A rendered heatmap, ready to be sent.
pub struct RenderedHeatmap {
    /// The entity tag.
    pub etag: String,
    pub version: Seq,
    pub bytes: Bytes,
    /// The part of the entity tag that all encodings share.
    etag_prefix: String,
}

impl RenderedHeatmap {
    fn new(etag_prefix: String, version: Seq, coding: ContentCoding, bytes: Vec<u8>) -> Self {
        Self { etag: etag(&etag_prefix, coding), version, bytes: bytes.into(), etag_prefix }
    }
}

/// The newest bodies of all heatmaps, and the counts that they are rendered from.
pub struct HeatmapCache {
    /// The runtime for counting and rendering, which is not that of the request threads.
    runtime: Handle,
    progress: Arc<tokio::sync::Mutex<CountProgress>>,
    /// Limits rendering to one heatmap at a time, because those of a large canvas are large.
    render_permits: Semaphore,
    uncompressed: [ThrottledValue<(), RenderedHeatmap>; 3],
    compressed: Cache<(HeatmapMetric, ContentCoding), Arc<RenderedHeatmap>>,
}

impl HeatmapCache {
    /// Creates an empty cache that counts and renders in this runtime.
    pub fn new(runtime: Handle) -> Self {
        Self {
            runtime,
            progress: Arc::default(),
            render_permits: Semaphore::new(1),
            uncompressed: std::array::from_fn(|_| {
                ThrottledValue::with_rate("heat", RENDER_BURST, RENDERS_PER_SECOND)
            }),
            compressed: Cache::new("heat", MAX_CACHE_BYTES, None, |body| body.bytes.len()),
        }
    }

    /// Returns a current heatmap. Under load it is up to a second old.
    ///
    /// # Errors
    /// Returns `Overloaded` if a long season is still being counted for the first time or too many requests
    /// wait.
    pub async fn get(
        self: &Arc<Self>,
        state: &Arc<AppState>,
        metric: HeatmapMetric,
        coding: ContentCoding,
    ) -> Result<Arc<RenderedHeatmap>, Refusal> {
        let uncompressed = self.uncompressed_body(state, metric).await?;
        if coding == ContentCoding::Identity {
            return Ok(uncompressed);
        }
        let key = (metric, coding);
        let etag_prefix = uncompressed.etag_prefix.clone();
        let is_current = move |body: &Arc<RenderedHeatmap>| body.etag_prefix == etag_prefix;
        if let Some(body) = self.compressed.get_if(&key, &is_current) {
            return Ok(body);
        }
        let cache = self.clone();
        let compression = self.runtime.spawn(async move {
            cache.compressed.get_or_compute(key, is_current, cache.compress(uncompressed, coding)).await
        });
        join("compressing a heatmap", compression).await?
    }

    /// Returns the entity tag that a heatmap rendered now would have.
    pub fn etag(state: &AppState, metric: HeatmapMetric, coding: ContentCoding) -> String {
        etag(&current_etag_prefix(state, metric), coding)
    }

    /// Returns the number of visible pixels of an agent, or `None` if they are not counted yet.
    pub async fn count_owned_pixels(
        self: &Arc<Self>,
        state: &Arc<AppState>,
        agent: &AgentId,
    ) -> Result<Option<u32>, Refusal> {
        let Some(number) = find_agent_number(&state.pool, agent.as_str()).await? else { return Ok(None) };
        let Ok(mut progress) = timeout(OPTIONAL_COUNT_TIMEOUT, self.progress.clone().lock_owned()).await
        else {
            return Ok(None);
        };
        let state = state.clone();
        let task = self.runtime.spawn(async move {
            match catch_up(&state, &mut progress, Duration::ZERO).await {
                Err(Refusal::Overloaded) => Ok(None),
                result => result.map(|(stats, _)| Some(stats.owned_count(number))),
            }
        });
        join(COUNT_TASK, task).await?
    }

    /// Returns the number of placements in each step by which agents painted over pixels of other agents,
    /// given the opening of the current season and the last event of each step. `None` if they are not
    /// counted yet: the count then goes on in the background.
    pub(crate) async fn count_overpaints(
        &self,
        state: &Arc<AppState>,
        season: Seq,
        step_ends: &[Seq],
    ) -> Result<Option<Vec<i64>>, Refusal> {
        let count = async {
            // Without the lock there is no task: those of a long count would pile up.
            let mut progress = self.progress.clone().lock_owned().await;
            let state = state.clone();
            let step_ends = step_ends.to_vec();
            let task = self.runtime.spawn(async move {
                let (stats, _) = catch_up(&state, &mut progress, COUNT_TIMEOUT).await?;
                // A new season may have begun.
                Ok::<_, Refusal>(
                    (stats.season == season).then(|| stats.overpaints.counts_by_step(&step_ends)),
                )
            });
            join(COUNT_TASK, task).await?
        };
        ready_count(TIMELINE_COUNT_TIMEOUT, count).await
    }

    /// Continues the count, and stores it if there is much that the next start would have to count again.
    pub async fn store_stats(&self, state: &AppState) -> Result<(), Refusal> {
        loop {
            // The lock is released after each part of the count, so that waiting requests get it.
            let mut progress = self.progress.lock().await;
            let (season, head) = state.read_world(|world| (world.season.seq, world.head));
            if head.events_since(progress.stored_up_to.max(season)) < STORE_INTERVAL_EVENTS {
                return Ok(());
            }
            let progress = &mut *progress;
            match catch_up(state, progress, COUNT_TIMEOUT).await {
                Err(Refusal::Overloaded) => {}
                result => {
                    let (stats, _) = result?;
                    store::store_stats(&state.pool, stats).await?;
                    progress.stored_up_to = stats.up_to;
                }
            }
        }
    }

    /// Returns the canvas and the indices of an agent's visible pixels. The agent is given by its number.
    ///
    /// # Errors
    /// Returns `Overloaded` while a long season is counted.
    pub(super) async fn owned_pixels(
        self: &Arc<Self>,
        state: &Arc<AppState>,
        agent: AccountNo,
    ) -> Result<(CanvasRegion, Vec<usize>), Refusal> {
        let cache = self.clone();
        let state = state.clone();
        let task = self.runtime.spawn(async move {
            let mut progress = cache.progress.lock().await;
            loop {
                let (stats, season) = catch_up(&state, &mut progress, COUNT_TIMEOUT).await?;
                let region = state.read_world(|world| {
                    (world.season.seq == season.seq)
                        .then(|| CanvasRegion::from_world(world, season.size.full_rect()))
                });
                // A new season may have begun since the count.
                let Some(region) = region else { continue };
                let owners = stats.painters.iter().enumerate();
                let owned = owners.filter(|(_, painter)| AccountNo::of_painter(**painter) == agent);
                return Ok((region, owned.map(|(index, _)| index).collect()));
            }
        });
        join(COUNT_TASK, task).await?
    }

    async fn uncompressed_body(
        self: &Arc<Self>,
        state: &Arc<AppState>,
        metric: HeatmapMetric,
    ) -> Result<Arc<RenderedHeatmap>, Refusal> {
        let slot = &self.uncompressed[metric as usize];
        let etag_prefix = current_etag_prefix(state, metric);
        if let Some(body) = slot.newest_if(|body| body.etag_prefix == etag_prefix) {
            return Ok(body);
        }
        let cache = self.clone();
        let state = state.clone();
        let render = async |(): &mut ()| {
            let task = self.runtime.spawn(async move { cache.render(&state, metric).await });
            join("rendering a heatmap", task).await?
        };
        slot.get(render).await
    }

    async fn render(&self, state: &AppState, metric: HeatmapMetric) -> Result<RenderedHeatmap, Refusal> {
        let _permit = wait_for_permit(RENDER_PERMIT_TIMEOUT, self.render_permits.acquire()).await?;
        let mut progress = self.progress.clone().lock_owned().await;
        let (_, season) = catch_up(state, &mut progress, COUNT_TIMEOUT).await?;
        let now = round_to_age_step(state.clock.now());
        let task = render_threads::render(COUNT_TASK, move || {
            let stats = progress.stats.as_ref().ok_or("no placements counted")?;
            Ok::<_, &str>(Heatmap::from_stats(stats, &season, metric, now))
        });
        let (mut heatmap, owners) = task.await?;
        if metric == HeatmapMetric::Painter {
            heatmap.agents = Some(store::find_owners(&state.pool, &owners).await?);
        }
        render_threads::render("encoding a heatmap", move || {
            let bytes = serde_json::to_vec(&heatmap)?;
            let etag_prefix = etag_prefix(&heatmap.season, heatmap.version, metric, now);
            serde_json::Result::Ok(RenderedHeatmap::new(
                etag_prefix,
                heatmap.version,
                ContentCoding::Identity,
                bytes,
            ))
        })
        .await
    }

    async fn compress(
        &self,
        uncompressed: Arc<RenderedHeatmap>,
        coding: ContentCoding,
    ) -> Result<Arc<RenderedHeatmap>, Refusal> {
        let _permit = wait_for_permit(RENDER_PERMIT_TIMEOUT, self.render_permits.acquire()).await?;
        render_threads::render("compressing a heatmap", move || {
            let bytes = coding.encode(uncompressed.bytes.to_vec())?;
            std::io::Result::Ok(Arc::new(RenderedHeatmap::new(
                uncompressed.etag_prefix.clone(),
                uncompressed.version,
                coding,
                bytes,
            )))
        })
        .await
    }
}

/// Returns the shared part of the entity tags of a heatmap rendered now.
fn current_etag_prefix(state: &AppState, metric: HeatmapMetric) -> String {
    let (season, version) = state.read_world(|world| (world.season.id.clone(), world.version));
    etag_prefix(&season, version, metric, round_to_age_step(state.clock.now()))
}

fn etag_prefix(season: &str, version: Seq, metric: HeatmapMetric, now: DateTime<Utc>) -> String {
    let metric_name = match metric {
        HeatmapMetric::Painter => "painter".to_owned(),
        HeatmapMetric::Age => format!("age{}", now.timestamp()),
        HeatmapMetric::Contested => "contested".to_owned(),
    };
    format!("{}-{version}-{metric_name}", short_season_id(season))
}

fn etag(etag_prefix: &str, coding: ContentCoding) -> String {
    format!("\"{etag_prefix}-{}\"", coding.name())
}

fn round_to_age_step(now: DateTime<Utc>) -> DateTime<Utc> {
    now.duration_trunc(AGE_STEP).unwrap_or(now)
}
