//! Pictures of the canvas: drawn off the workers, one at a time and at most so often, and shared by all who ask.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use governor::{DefaultDirectRateLimiter, Quota};
use rules::grid::Rect;
use tokio::sync::Semaphore;

use super::formats::{CanvasRegion, short_season_id};
use super::visual;
use crate::cache::Cache;
use crate::clock;
use crate::concurrency::{join, run_blocking, wait_for_permit};
use crate::refusal::Refusal;
use crate::state::AppState;
use crate::telemetry::METRICS;

/// How often one picture may be drawn anew at once, and per second later on: together at most 20 in any second.
const RENDER_BURST: NonZeroU32 = NonZeroU32::new(8).unwrap();
const RENDERS_PER_SECOND: NonZeroU32 = NonZeroU32::new(12).unwrap();
/// A picture that takes longer to draw counts as several.
const RENDER_COST_UNIT: Duration = Duration::from_millis(5);
/// How long one who could have the picture before waits for the newest.
const NEWEST_TIMEOUT: Duration = Duration::from_millis(8);
/// A picture older than this is nothing to look at.
const MAX_STALE_AGE: Duration = Duration::from_secs(1);
/// How long one who has nothing to look at waits.
const RENDER_PERMIT_TIMEOUT: Duration = Duration::from_secs(5);
const MAX_CACHE_BYTES: u32 = 32 << 20;

/// What a picture shows, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CanvasView {
    /// The whole canvas, with so many image pixels for each pixel, each way.
    Plain(u16),
    /// A part of it for vision models.
    Visual(Rect),
}

/// A picture that is ready.
pub struct CanvasImage {
    /// Number of the last event that it shows.
    pub version: i64,
    /// No other picture has the same, today or later.
    pub etag: String,
    /// A PNG.
    pub body: Bytes,
    /// The hash of the pixels that it was drawn from.
    pixel_hash: blake3::Hash,
    /// Shared by all pictures of one view.
    rate_limiter: Arc<DefaultDirectRateLimiter>,
    /// What drawing it again costs.
    render_cost: NonZeroU32,
    rendered_at: Instant,
}

impl CanvasImage {
    /// Whether the view may be drawn again; the answer yes counts.
    fn try_acquire_render(&self) -> bool {
        matches!(self.rate_limiter.check_n(self.render_cost), Ok(Ok(())))
    }
}

/// The newest picture of each view that was asked for lately.
pub struct ImageCache {
    cache: Cache<CanvasView, Arc<CanvasImage>>,
    render_permits: Arc<Semaphore>,
}

impl Default for ImageCache {
    fn default() -> Self {
        let cache = Cache::new("canvas", MAX_CACHE_BYTES, None, |image: &Arc<CanvasImage>| image.body.len());
        Self { cache, render_permits: Arc::new(Semaphore::new(1)) }
    }
}

impl ImageCache {
    /// Returns the newest picture of a view.
    ///
    /// # Errors
    /// `Overloaded` when too many different ones are asked for.
    pub async fn newest(&self, state: &Arc<AppState>, view: CanvasView) -> Result<Arc<CanvasImage>, Refusal> {
        let version = state.read_world(|world| world.version);
        match self.cache.get_if(&view, |image| image.version >= version) {
            Some(ready) => Ok(ready),
            // Large while it waits: most requests need not carry the room for it.
            None => Box::pin(self.render_or_reuse(state, view, version)).await,
        }
    }

    /// The picture of now; or, while the canvas changes faster than pictures are drawn, one from just before.
    ///
    /// # Errors
    /// `Overloaded` when too many different ones are asked for.
    async fn render_or_reuse(
        &self,
        state: &Arc<AppState>,
        view: CanvasView,
        version: i64,
    ) -> Result<Arc<CanvasImage>, Refusal> {
        let previous = self.cache.peek(&view).filter(|image| image.rendered_at.elapsed() < MAX_STALE_AGE);
        let permit_timeout = if previous.is_some() { NEWEST_TIMEOUT } else { RENDER_PERMIT_TIMEOUT };
        let permit = match wait_for_permit(permit_timeout, self.render_permits.clone().acquire_owned()).await
        {
            Ok(permit) => permit,
            Err(refusal) => return previous.ok_or(refusal),
        };
        // A waiter takes what was drawn meanwhile.
        let latest = self.cache.peek(&view);
        if let Some(picture) =
            latest.as_ref().filter(|image| image.version >= version || !image.try_acquire_render())
        {
            return Ok(picture.clone());
        }
        let (cache, state) = (self.cache.clone(), state.clone());
        // Goes on without the one who asked, so that what was begun is cached.
        let render = tokio::spawn(async move {
            let _permit = permit;
            let rendered =
                run_blocking("drawing a picture", move || render_view(&state, view, latest.as_deref()));
            let image = Arc::new(rendered.await?);
            cache.insert(view, image.clone()).await;
            Ok(image)
        });
        join("drawing a picture", render).await?
    }

    /// What the picture of a view is tagged with at a version of a season.
    pub fn etag(season: &str, version: i64, view: CanvasView) -> String {
        let season = short_season_id(season);
        match view {
            CanvasView::Plain(scale) => format!("\"{season}-{version}-png{scale}\""),
            CanvasView::Visual(rect) => {
                let corners = rect.corners();
                let span = [corners.x1, corners.y1, corners.x2, corners.y2].map(|side| side.to_string());
                format!("\"{season}-{version}-visual-{}\"", span.join("."))
            }
        }
    }
}

/// Draws a view anew. The image of the same pixels is taken as it is: most changes are outside a small part.
fn render_view(
    state: &AppState,
    view: CanvasView,
    previous: Option<&CanvasImage>,
) -> Result<CanvasImage, png::EncodingError> {
    let region = state.read_world(|world| match view {
        CanvasView::Plain(_) => CanvasRegion::from_world(world, world.season.size.full_rect()),
        CanvasView::Visual(rect) => CanvasRegion::from_world(world, rect),
    });
    let started_at = clock::monotonic_now();
    let pixel_hash = blake3::hash(region.pixels());
    let body = match (previous.filter(|previous| previous.pixel_hash == pixel_hash), view) {
        (Some(same), _) => same.body.clone(),
        (None, CanvasView::Plain(scale)) => region.encode_png(scale)?.into(),
        (None, CanvasView::Visual(_)) => visual::render_png(&region)?.into(),
    };
    let render_metric = match view {
        CanvasView::Plain(_) => &METRICS.game.rendered_png,
        CanvasView::Visual(_) => &METRICS.game.rendered_visual,
    };
    render_metric.observe(started_at.elapsed().as_secs_f64());
    let tag = ImageCache::etag(region.season(), region.version(), view);
    let render_cost = render_cost(started_at.elapsed());
    let new_limiter = || {
        Arc::new(DefaultDirectRateLimiter::direct(
            Quota::per_second(RENDERS_PER_SECOND).allow_burst(RENDER_BURST),
        ))
    };
    let rate_limiter = previous.map_or_else(new_limiter, |previous| previous.rate_limiter.clone());
    Ok(CanvasImage {
        version: region.version(),
        etag: tag,
        body,
        pixel_hash,
        rate_limiter,
        render_cost,
        rendered_at: clock::monotonic_now(),
    })
}

fn render_cost(elapsed: Duration) -> NonZeroU32 {
    let units = elapsed.as_micros() / RENDER_COST_UNIT.as_micros() + 1;
    let cost = u32::try_from(units).ok().and_then(NonZeroU32::new).unwrap_or(RENDER_BURST);
    cost.min(RENDER_BURST)
}
