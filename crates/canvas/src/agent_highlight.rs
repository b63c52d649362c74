//! Images that show one agent's pixels and dim all others.

use std::sync::Arc;
use std::time::Duration;

use caraplace_log::state::AppState;
use platform::cache::Cache;
use platform::concurrency::wait_for_permit;
use platform::refusal::Refusal;
use rules::grid::Size;
use rules::ids::AgentId;
use rules::numbers::AccountNo;
use rules::palette::{self, Rgb};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::formats::{CanvasRegion, TaggedPng, encode_indexed};
use super::heatmap::HeatmapCache;
use super::render_threads;
use super::store;

/// The time for which an image is cached.
const IMAGE_TTL: Duration = Duration::from_secs(10);
const MAX_CACHE_BYTES: u32 = 16 << 20;
/// The maximum number of images rendered at the same time, and the time that a request waits for a permit.
const MAX_CONCURRENT_RENDERS: usize = 2;
const RENDER_PERMIT_TIMEOUT: Duration = Duration::from_secs(5);
/// The weight of the original colour in a dimmed pixel, in parts of 256. The rest is `DIM_COLOR`.
const DIM_WEIGHT: u32 = 32;
const DIM_COLOR: Rgb = [0x23, 0x1f, 0x1b];

/// The recently rendered images, by agent.
pub struct AgentHighlights {
    cache: Cache<AgentId, Arc<TaggedPng>>,
    render_permits: Arc<Semaphore>,
}

impl Default for AgentHighlights {
    fn default() -> Self {
        let cache = Cache::new("agent_canvas", MAX_CACHE_BYTES, Some(IMAGE_TTL), |image: &Arc<TaggedPng>| {
            image.body.len()
        });
        Self { cache, render_permits: Arc::new(Semaphore::new(MAX_CONCURRENT_RENDERS)) }
    }
}

impl AgentHighlights {
    /// Returns an agent's image, at most ten seconds old, or `None` if the agent does not exist.
    ///
    /// # Errors
    /// Returns `Overloaded` if too many requests wait, or `Internal` if the image cannot be rendered.
    pub async fn get(
        &self,
        state: &Arc<AppState>,
        heatmaps: &Arc<HeatmapCache>,
        agent: &AgentId,
    ) -> Result<Option<Arc<TaggedPng>>, Refusal> {
        if let Some(image) = self.cache.get(agent) {
            return Ok(Some(image));
        }
        // The permit is acquired before the query, because most requests may be for agents that do not exist.
        let permit =
            wait_for_permit(RENDER_PERMIT_TIMEOUT, self.render_permits.clone().acquire_owned()).await?;
        let Some(number) = store::find_agent_number(&state.pool, agent.as_str()).await? else {
            return Ok(None);
        };
        self.cache
            .get_or_compute(agent.clone(), |_| true, render_highlight(state, heatmaps, number, permit))
            .await
            .map(Some)
    }
}

async fn render_highlight(
    state: &Arc<AppState>,
    heatmaps: &Arc<HeatmapCache>,
    agent: AccountNo,
    permit: OwnedSemaphorePermit,
) -> Result<Arc<TaggedPng>, Refusal> {
    let (region, visible) = heatmaps.owned_pixels(state, agent).await?;
    let render = render_threads::render("rendering an agent's pixels", move || {
        // The permit is kept until the rendering ends, even if the client disconnects.
        let _permit = permit;
        draw_highlight(&region, &visible)
    });
    Ok(Arc::new(TaggedPng::new(render.await?)))
}

/// Renders the canvas with these pixels in full colour, one image pixel for each pixel.
fn draw_highlight(region: &CanvasRegion, highlighted: &[usize]) -> Result<Vec<u8>, png::EncodingError> {
    let palette_colors = palette::rgb_colors();
    let mut pixels = region.pixels().to_vec();
    highlighted.iter().for_each(|index| pixels[*index] += palette_colors.len() as u8);
    let colors: Vec<Rgb> =
        palette_colors.iter().map(|color| dim_color(*color)).chain(palette_colors.iter().copied()).collect();
    let Size { width, height } = region.size();
    encode_indexed(width.into(), height.into(), png::BitDepth::Eight, &colors, [pixels])
}

fn dim_color(color: Rgb) -> Rgb {
    std::array::from_fn(|channel| {
        let mixed =
            u32::from(color[channel]) * DIM_WEIGHT + u32::from(DIM_COLOR[channel]) * (256 - DIM_WEIGHT);
        (mixed / 256) as u8
    })
}
