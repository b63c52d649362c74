//! Renders images of the canvas outside the request threads, one at a time and at a limited rate, and caches
//! them for all requests.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use caraplace_log::state::AppState;
use governor::{DefaultDirectRateLimiter, Quota};
use platform::cache::Cache;
use platform::clock;
use platform::concurrency::{join, wait_for_permit};
use platform::refusal::Refusal;
use platform::telemetry::METRICS;
use rules::grid::Rect;
use rules::numbers::Seq;
use tokio::sync::Semaphore;

use super::formats::{CanvasRegion, format_span, short_season_id};
use super::render_threads;
use super::visual;
use super::visual_grid::Grid;

/// The burst and the rate per second at which one image may be rendered: at most 20 in any second.
const RENDER_BURST: NonZeroU32 = NonZeroU32::new(8).unwrap();
const RENDERS_PER_SECOND: NonZeroU32 = NonZeroU32::new(12).unwrap();
/// The rendering time that costs one unit of the rate limit. Slower renderings cost more.
const RENDER_COST_UNIT: Duration = Duration::from_millis(5);
/// The time that a request waits for the newest image if an older one can be returned instead.
const NEWEST_TIMEOUT: Duration = Duration::from_millis(8);
/// The maximum age of an image that may be returned instead of the newest.
const MAX_STALE_AGE: Duration = Duration::from_secs(1);
/// The time that a request waits for a permit if there is no older image.
const RENDER_PERMIT_TIMEOUT: Duration = Duration::from_secs(5);
const MAX_CACHE_BYTES: u32 = 32 << 20;

/// The content of an image and its style.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CanvasView {
    /// The whole canvas. Each pixel has this width and height in image pixels.
    Plain(u16),
    /// A region, with a grid and coordinates for vision models.
    Visual(Rect, Grid),
}

/// A rendered image.
pub struct CanvasImage {
    /// The sequence number of the last event that it shows.
    pub version: Seq,
    /// The entity tag. No other image ever has the same.
    pub etag: String,
    /// A PNG.
    pub body: Bytes,
    /// The hash of the pixels that it shows.
    pixel_hash: blake3::Hash,
    /// The rate limiter, shared by all images of one view.
    rate_limiter: Arc<DefaultDirectRateLimiter>,
    /// The cost of rendering it again, in units of the rate limit.
    render_cost: NonZeroU32,
    rendered_at: Instant,
}

impl CanvasImage {
    /// Returns true if the view may be rendered again. If so, the rendering is counted.
    fn try_acquire_render(&self) -> bool {
        matches!(self.rate_limiter.check_n(self.render_cost), Ok(Ok(())))
    }
}

/// The newest image of each recently requested view.
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
    /// Returns the newest image of a view.
    ///
    /// # Errors
    /// Returns `Overloaded` if too many different images are requested.
    pub async fn newest(&self, state: &Arc<AppState>, view: CanvasView) -> Result<Arc<CanvasImage>, Refusal> {
        let version = state.read_world(|world| world.version);
        match self.cache.get_if(&view, |image| image.version >= version) {
            Some(ready) => Ok(ready),
            // Boxed because the future is large and most requests do not need it.
            None => Box::pin(self.render_or_reuse(state, view, version)).await,
        }
    }

    /// Returns the current image, or one from shortly before if the canvas changes faster than images are
    /// rendered.
    ///
    /// # Errors
    /// Returns `Overloaded` if too many different images are requested.
    async fn render_or_reuse(
        &self,
        state: &Arc<AppState>,
        view: CanvasView,
        version: Seq,
    ) -> Result<Arc<CanvasImage>, Refusal> {
        let previous = self.cache.peek(&view).filter(|image| image.rendered_at.elapsed() < MAX_STALE_AGE);
        let permit_timeout = if previous.is_some() { NEWEST_TIMEOUT } else { RENDER_PERMIT_TIMEOUT };
        let permit = match wait_for_permit(permit_timeout, self.render_permits.clone().acquire_owned()).await
        {
            Ok(permit) => permit,
            Err(refusal) => return previous.ok_or(refusal),
        };
        // Another request may have rendered the image while this one waited.
        let latest = self.cache.peek(&view);
        if let Some(image) =
            latest.as_ref().filter(|image| image.version >= version || !image.try_acquire_render())
        {
            return Ok(image.clone());
        }
        let cache = self.cache.clone();
        let state = state.clone();
        // The task continues if the client disconnects, so that the image is cached.
        let render = tokio::spawn(async move {
            let _permit = permit;
            let rendered = render_threads::render("rendering an image", move || {
                render_view(&state, view, latest.as_deref())
            });
            let image = Arc::new(rendered.await?);
            cache.insert(view, image.clone()).await;
            Ok(image)
        });
        join("rendering an image", render).await?
    }

    /// Returns the entity tag of a view's image at a version of a season.
    pub fn etag(season: &str, version: Seq, view: CanvasView) -> String {
        let season = short_season_id(season);
        match view {
            CanvasView::Plain(scale) => format!("\"{season}-{version}-png{scale}\""),
            CanvasView::Visual(rect, grid) => {
                format!("\"{season}-{version}-visual-{}-{}\"", format_span(rect), grid.name())
            }
        }
    }
}

/// Renders a view. The previous image is reused if the pixels have not changed, as most changes are outside a
/// small region.
fn render_view(
    state: &AppState,
    view: CanvasView,
    previous: Option<&CanvasImage>,
) -> Result<CanvasImage, png::EncodingError> {
    let region = state.read_world(|world| match view {
        CanvasView::Plain(_) => CanvasRegion::from_world(world, world.season.size.full_rect()),
        CanvasView::Visual(rect, _) => CanvasRegion::from_world(world, rect),
    });
    let started_at = clock::monotonic_now();
    let pixel_hash = blake3::hash(region.pixels());
    let body = match (previous.filter(|previous| previous.pixel_hash == pixel_hash), view) {
        (Some(same), _) => same.body.clone(),
        (None, CanvasView::Plain(scale)) => region.encode_png(scale)?.into(),
        (None, CanvasView::Visual(_, grid)) => visual::render_png(&region, grid)?.into(),
    };
    let render_metric = match view {
        CanvasView::Plain(_) => &METRICS.game.rendered_png,
        CanvasView::Visual(..) => &METRICS.game.rendered_visual,
    };
    render_metric.observe(started_at.elapsed().as_secs_f64());
    let etag = ImageCache::etag(region.season(), region.version(), view);
    let render_cost = render_cost(started_at.elapsed());
    let new_limiter = || {
        Arc::new(DefaultDirectRateLimiter::direct(
            Quota::per_second(RENDERS_PER_SECOND).allow_burst(RENDER_BURST),
        ))
    };
    let rate_limiter = previous.map_or_else(new_limiter, |previous| previous.rate_limiter.clone());
    Ok(CanvasImage {
        version: region.version(),
        etag,
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
