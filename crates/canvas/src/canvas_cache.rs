//! Response bodies of the whole canvas, rendered once per version and encoding and shared by all requests.

use std::sync::Arc;

use bytes::Bytes;
use caraplace_log::state::AppState;
use platform::cache::Cache;
use platform::concurrency::join;
use platform::content_coding::ContentCoding;
use platform::refusal::{Refusal, internal};
use platform::telemetry::{METRICS, PhaseTimer};
use rules::numbers::Seq;

use super::formats::{CanvasRegion, RegionOptions, short_season_id};
use super::render_threads;

/// The format of the canvas data in a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CanvasDataFormat {
    /// JSON, as of `GET /api/canvas`.
    Json,
    /// The same without the palette.
    JsonWithoutPalette,
    /// One byte per pixel.
    Bytes,
}

/// The task's name in the log.
const RENDER_TASK: &str = "rendering the canvas";

/// The number of pixels up to which the canvas is rendered directly. Moving it to another thread would take
/// longer.
const MAX_INLINE_PIXELS: usize = 65_536;

/// The whole canvas as it was at a version.
pub struct RenderedCanvas {
    pub version: Seq,
    /// The entity tag.
    pub etag: String,
    pub bytes: Bytes,
}

/// The maximum size of the cache in bytes, enough for three formats in three encodings of the largest canvas.
const MAX_CACHE_BYTES: u32 = 128 << 20;

/// The newest body of each format and encoding.
pub struct CanvasCache(Cache<(CanvasDataFormat, ContentCoding), Arc<RenderedCanvas>>);

impl Default for CanvasCache {
    fn default() -> Self {
        Self(Cache::new("canvas", MAX_CACHE_BYTES, None, |body| body.bytes.len()))
    }
}

impl CanvasCache {
    /// Returns the body of the current canvas. A request that had to wait may get a body that was rendered
    /// meanwhile, but never one older than the request.
    ///
    /// # Errors
    /// Returns `Internal` if the body cannot be encoded.
    pub async fn get(
        &self,
        state: &Arc<AppState>,
        format: CanvasDataFormat,
        coding: ContentCoding,
    ) -> Result<Arc<RenderedCanvas>, Refusal> {
        let (version, pixels) = state.read_world(|world| (world.version, world.canvas.pixels().len()));
        let is_current = move |body: &Arc<RenderedCanvas>| body.version >= version;
        let key = (format, coding);
        if let Some(body) = self.0.get_if(&key, is_current) {
            return Ok(body);
        }
        if coding == ContentCoding::Identity && pixels <= MAX_INLINE_PIXELS {
            let compute = async { render(state, format, coding).map_err(internal(RENDER_TASK)) };
            return self.0.get_or_compute(key, is_current, compute).await;
        }
        // Rendering would block the request thread. The task continues if the client disconnects, so that the
        // body is cached.
        let cache = self.0.clone();
        let state = state.clone();
        let task = tokio::spawn(async move {
            let compute = render_threads::render(RENDER_TASK, move || render(&state, format, coding));
            cache.get_or_compute(key, is_current, compute).await
        });
        join(RENDER_TASK, task).await?
    }

    /// Returns the entity tag of a body at a version of a season.
    pub fn etag(season: &str, version: Seq, format: CanvasDataFormat, coding: ContentCoding) -> String {
        let format_name = match format {
            CanvasDataFormat::Json => "json",
            CanvasDataFormat::JsonWithoutPalette => "rows",
            CanvasDataFormat::Bytes => "bin",
        };
        format!("\"{}-{version}-{format_name}-{}\"", short_season_id(season), coding.name())
    }
}

fn render(
    state: &AppState,
    format: CanvasDataFormat,
    coding: ContentCoding,
) -> std::io::Result<Arc<RenderedCanvas>> {
    let mut timer = PhaseTimer::start();
    let region = state.read_world(|world| CanvasRegion::from_world(world, world.season.size.full_rect()));
    let (uncompressed, render_metric) = match format {
        CanvasDataFormat::Json | CanvasDataFormat::JsonWithoutPalette => {
            let options =
                RegionOptions { palette: format == CanvasDataFormat::Json, ..RegionOptions::default() };
            (serde_json::to_vec(&region.to_json(options))?, &METRICS.game.rendered_json)
        }
        CanvasDataFormat::Bytes => (region.pixels().to_vec(), &METRICS.game.rendered_bytes),
    };
    let bytes = Bytes::from(coding.encode(uncompressed)?);
    timer.observe_phase(render_metric);
    let etag = CanvasCache::etag(region.season(), region.version(), format, coding);
    Ok(Arc::new(RenderedCanvas { version: region.version(), etag, bytes }))
}
