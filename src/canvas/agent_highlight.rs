//! One painter's hand: the canvas dimmed but for the pixels that show its paint.

use std::sync::Arc;
use std::time::Duration;

use rules::ids::AgentId;
use rules::palette::{self, Rgb};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::formats::{CanvasRegion, TaggedPng, encode_indexed};
use super::heatmap::HeatmapCache;
use super::store;
use crate::cache::Cache;
use crate::concurrency::{run_blocking, wait_for_permit};
use crate::refusal::Refusal;
use crate::state::AppState;

/// A picture is drawn again for the same painter after this at the soonest.
const IMAGE_TTL: Duration = Duration::from_secs(10);
const MAX_CACHE_BYTES: u32 = 16 << 20;
/// How many pictures are drawn at once, and how long one waits for a turn.
const MAX_CONCURRENT_RENDERS: usize = 2;
const RENDER_PERMIT_TIMEOUT: Duration = Duration::from_secs(5);
/// What is not the painter's is mixed with the wall: so much of its own light is left, in parts of 256.
const DIM_WEIGHT: u32 = 32;
const DIM_COLOR: Rgb = [0x23, 0x1f, 0x1b];

/// The painters' pictures that were drawn lately.
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
    /// The picture of an agent, at most ten seconds old; `None` when there is no such agent.
    ///
    /// # Errors
    /// `Overloaded` when too many wait; or that the database cannot be read, or the picture not be drawn.
    pub async fn get(
        &self,
        state: &Arc<AppState>,
        heatmaps: &Arc<HeatmapCache>,
        agent: &AgentId,
    ) -> Result<Option<Arc<TaggedPng>>, Refusal> {
        if let Some(image) = self.cache.get(agent) {
            return Ok(Some(image));
        }
        // Before the database is asked: most requests may be for agents that do not exist.
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
    agent: i64,
    permit: OwnedSemaphorePermit,
) -> Result<Arc<TaggedPng>, Refusal> {
    let (region, visible) = heatmaps.owned_pixels(state, agent).await?;
    let render = run_blocking("drawing an agent's pixels", move || {
        // Held until the drawing ends, even if the caller goes away.
        let _permit = permit;
        draw_highlight(&region, &visible)
    });
    Ok(Arc::new(TaggedPng::new(render.await?)))
}

/// Draws a canvas on which these pixels are lit, one image pixel for each pixel.
fn draw_highlight(region: &CanvasRegion, highlighted: &[usize]) -> Result<Vec<u8>, png::EncodingError> {
    let palette_colors = palette::rgb_colors();
    let mut pixels = region.pixels().to_vec();
    highlighted.iter().for_each(|index| pixels[*index] += palette_colors.len() as u8);
    let colors: Vec<Rgb> =
        palette_colors.iter().map(|color| dim_color(*color)).chain(palette_colors.iter().copied()).collect();
    let size = (region.size().width.into(), region.size().height.into());
    encode_indexed(size, png::BitDepth::Eight, &colors, [pixels])
}

fn dim_color(color: Rgb) -> Rgb {
    std::array::from_fn(|channel| {
        let mixed =
            u32::from(color[channel]) * DIM_WEIGHT + u32::from(DIM_COLOR[channel]) * (256 - DIM_WEIGHT);
        (mixed / 256) as u8
    })
}
