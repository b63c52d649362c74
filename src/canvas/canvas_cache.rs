//! Bodies of the whole canvas, rendered once per version and encoding and shared.

use std::sync::Arc;

use bytes::Bytes;

use super::formats::{CanvasRegion, short_season_id};
use crate::cache::Cache;
use crate::concurrency::{join, run_blocking};
use crate::content_coding::ContentCoding;
use crate::refusal::{Refusal, internal};
use crate::state::AppState;
use crate::telemetry::{METRICS, PhaseTimer};

/// What a body shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CanvasDataFormat {
    Json,
    Bytes,
}

/// The attempt that the log names when it fails.
const RENDER_TASK: &str = "rendering the canvas";

/// A canvas of at most so many pixels is written out faster than it is handed to another thread.
const MAX_INLINE_PIXELS: usize = 65_536;

/// The whole canvas, as it was at a version.
pub struct RenderedCanvas {
    pub version: i64,
    /// Its entity tag.
    pub etag: String,
    pub bytes: Bytes,
}

/// How many bytes the newest bodies may take: two forms in three codings of the largest canvas.
const MAX_CACHE_BYTES: u32 = 128 << 20;

/// The newest body of each form and coding.
pub struct CanvasCache(Cache<(CanvasDataFormat, ContentCoding), Arc<RenderedCanvas>>);

impl Default for CanvasCache {
    fn default() -> Self {
        Self(Cache::new("canvas", MAX_CACHE_BYTES, None, |body| body.bytes.len()))
    }
}

impl CanvasCache {
    /// Returns the body of the log's canvas as it is now. A waiter takes what was rendered meanwhile, if it shows at least
    /// what there was when the waiting began.
    ///
    /// # Errors
    /// `Internal` if the body cannot be encoded.
    pub async fn get(
        &self,
        state: &Arc<AppState>,
        format: CanvasDataFormat,
        coding: ContentCoding,
    ) -> Result<Arc<RenderedCanvas>, Refusal> {
        let (version, pixels) = state.read_world(|world| (world.version, world.pixels().len()));
        let is_current = move |body: &Arc<RenderedCanvas>| body.version >= version;
        let key = (format, coding);
        if let Some(body) = self.0.get_if(&key, is_current) {
            return Ok(body);
        }
        if coding == ContentCoding::Identity && pixels <= MAX_INLINE_PIXELS {
            let compute = async { render(state, format, coding).map_err(internal(RENDER_TASK)) };
            return self.0.get_or_compute(key, is_current, compute).await;
        }
        // Rendering takes time that the workers must not lose. It goes on without the caller, so that what was begun is
        // cached.
        let (cache, state) = (self.0.clone(), state.clone());
        let task = tokio::spawn(async move {
            let compute = run_blocking(RENDER_TASK, move || render(&state, format, coding));
            cache.get_or_compute(key, is_current, compute).await
        });
        join(RENDER_TASK, task).await?
    }

    /// What a body is tagged with at a version of a season.
    pub fn etag(season: &str, version: i64, format: CanvasDataFormat, coding: ContentCoding) -> String {
        let format_name = match format {
            CanvasDataFormat::Json => "json",
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
    let mut laps = PhaseTimer::start();
    let region = state.read_world(|world| CanvasRegion::from_world(world, world.season.size.full_rect()));
    let (uncompressed, render_metric) = match format {
        CanvasDataFormat::Json => (serde_json::to_vec(&region.to_json())?, &METRICS.game.rendered_json),
        CanvasDataFormat::Bytes => (region.pixels().to_vec(), &METRICS.game.rendered_bytes),
    };
    let bytes = Bytes::from(coding.encode(uncompressed)?);
    laps.observe_phase(render_metric);
    let tag = CanvasCache::etag(region.season(), region.version(), format, coding);
    Ok(Arc::new(RenderedCanvas { version: region.version(), etag: tag, bytes }))
}
