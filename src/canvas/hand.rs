//! One painter's hand: the canvas dimmed but for the pixels that show its paint.

use std::sync::Arc;
use std::time::Duration;

use rules::ids::AgentId;
use rules::palette::{self, Rgb};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::heat::Heats;
use super::picture::{Cutout, TaggedPng, encode_indexed};
use super::store;
use crate::cache::Cache;
use crate::concurrency::{run_blocking, wait_for_permit};
use crate::refusal::Refusal;
use crate::state::AppState;

/// A picture is drawn again for the same painter after this at the soonest.
const PAUSE: Duration = Duration::from_secs(10);
const MAX_BYTES: u32 = 16 << 20;
/// How many pictures are drawn at once, and how long one waits for a turn.
const TURNS: usize = 2;
const PATIENCE: Duration = Duration::from_secs(5);
/// What is not the painter's is mixed with the wall: so much of its own light is left, in parts of 256.
const LEFT: u32 = 32;
const WALL: Rgb = [0x23, 0x1f, 0x1b];

/// The painters' pictures that were drawn lately.
pub struct Hands {
    cache: Cache<AgentId, Arc<TaggedPng>>,
    turns: Arc<Semaphore>,
}

impl Default for Hands {
    fn default() -> Self {
        let cache =
            Cache::new("agent_canvas", MAX_BYTES, Some(PAUSE), |hand: &Arc<TaggedPng>| hand.body.len());
        Self { cache, turns: Arc::new(Semaphore::new(TURNS)) }
    }
}

impl Hands {
    /// The picture of an agent, at most ten seconds old; `None` when there is no such agent.
    ///
    /// # Errors
    /// `Overloaded` when too many wait; or that the database cannot be read, or the picture not be drawn.
    pub async fn get(
        &self,
        state: &Arc<AppState>,
        heats: &Arc<Heats>,
        agent: &AgentId,
    ) -> Result<Option<Arc<TaggedPng>>, Refusal> {
        if let Some(hand) = self.cache.get(agent) {
            return Ok(Some(hand));
        }
        // Before the database is asked: most requests may be for agents that do not exist.
        let turn = wait_for_permit(PATIENCE, self.turns.clone().acquire_owned()).await?;
        let Some(number) = store::number_of(&state.pool, agent.as_str()).await? else { return Ok(None) };
        self.cache.get_or_compute(agent.clone(), |_| true, drawn(state, heats, number, turn)).await.map(Some)
    }
}

async fn drawn(
    state: &Arc<AppState>,
    heats: &Arc<Heats>,
    agent: i64,
    turn: OwnedSemaphorePermit,
) -> Result<Arc<TaggedPng>, Refusal> {
    let (cutout, held) = heats.held_by(state, agent).await?;
    let drawing = run_blocking("drawing an agent's pixels", move || {
        // Held until the drawing ends, even if the caller goes away.
        let _turn = turn;
        draw(&cutout, &held)
    });
    Ok(Arc::new(TaggedPng::new(drawing.await?)))
}

/// Draws a canvas on which these pixels are lit, one image pixel for each pixel.
fn draw(cutout: &Cutout, lit: &[usize]) -> Result<Vec<u8>, png::EncodingError> {
    let bright = palette::rgb_colors();
    let mut pixels = cutout.pixels().to_vec();
    lit.iter().for_each(|place| pixels[*place] += bright.len() as u8);
    let colors: Vec<Rgb> = bright.iter().map(|color| dimmed(*color)).chain(bright.iter().copied()).collect();
    let size = (cutout.size().width.into(), cutout.size().height.into());
    encode_indexed(size, png::BitDepth::Eight, &colors, [pixels])
}

fn dimmed(color: Rgb) -> Rgb {
    std::array::from_fn(|part| {
        let mixed = u32::from(color[part]) * LEFT + u32::from(WALL[part]) * (256 - LEFT);
        (mixed / 256) as u8
    })
}
