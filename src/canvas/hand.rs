//! One painter's hand: the canvas dimmed but for the pixels that show its paint.

use std::collections::HashMap;
use std::io::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use parking_lot::Mutex;
use tokio::sync::Semaphore;

use super::heat::Heats;
use super::picture::{Cutout, encoder};
use super::store;
use crate::clock;
use crate::log::Log;
use crate::refusal::Refusal;
use crate::rules::ids::AgentId;
use crate::rules::palette::{self, Rgb};

/// A picture is drawn again for the same painter after this at the soonest.
const PAUSE: Duration = Duration::from_secs(10);
/// How many painters' pictures are kept, and how many are drawn at once.
const MOST_PICTURES: usize = 256;
const TURNS: usize = 2;
/// What is not the painter's is mixed with the wall: so much of its own light is left, in parts of 256.
const LEFT: u32 = 32;
const WALL: Rgb = [0x23, 0x1f, 0x1b];

/// A painter's picture, as a PNG.
pub struct Hand {
    /// Its entity tag.
    pub tag: String,
    pub body: Bytes,
    /// How many pixels show its paint.
    pub pixels: usize,
    drawn_at: Instant,
}

/// The painters' pictures that were asked for lately.
pub struct Hands {
    kept: Mutex<HashMap<AgentId, Arc<Hand>>>,
    turns: Semaphore,
}

impl Default for Hands {
    fn default() -> Self {
        Self { kept: Mutex::default(), turns: Semaphore::new(TURNS) }
    }
}

impl Hands {
    /// The picture of an agent, at most ten seconds old; `None` when there is no such agent.
    ///
    /// # Errors
    /// When the database cannot be read, or the picture not be drawn.
    pub async fn get(&self, log: &Log, heats: &Heats, agent: &AgentId) -> Result<Option<Arc<Hand>>, Refusal> {
        let _turn = match self.recent(agent) {
            Some(hand) => return Ok(Some(hand)),
            None => self.turns.acquire().await.map_err(|_| Refusal::Overloaded)?,
        };
        // Drawn meanwhile, for someone else who asked.
        if let Some(hand) = self.recent(agent) {
            return Ok(Some(hand));
        }
        let Some(number) = store::number_of(&log.pool, agent.as_str()).await? else { return Ok(None) };
        let (cutout, held) = heats.held_by(log, number).await?;
        let pixels = held.len();
        let drawn = tokio::task::spawn_blocking(move || draw(&cutout, &held)).await;
        let body = Bytes::from(drawn.ok().and_then(Result::ok).ok_or(Refusal::Overloaded)?);
        let tag = format!("\"{}\"", &blake3::hash(&body).to_hex()[..16]);
        let hand = Arc::new(Hand { tag, body, pixels, drawn_at: clock::moment() });
        self.keep(agent.clone(), hand.clone());
        Ok(Some(hand))
    }

    fn recent(&self, agent: &AgentId) -> Option<Arc<Hand>> {
        self.kept.lock().get(agent).filter(|hand| hand.drawn_at.elapsed() < PAUSE).cloned()
    }

    fn keep(&self, agent: AgentId, hand: Arc<Hand>) {
        let mut kept = self.kept.lock();
        if kept.len() >= MOST_PICTURES {
            kept.retain(|_, hand| hand.drawn_at.elapsed() < PAUSE);
        }
        if kept.len() < MOST_PICTURES {
            kept.insert(agent, hand);
        }
    }
}

/// Draws a canvas on which these pixels are lit, one image pixel for each pixel.
fn draw(cutout: &Cutout, lit: &[usize]) -> Result<Vec<u8>, png::EncodingError> {
    let bright = palette::rgb();
    let mut pixels = cutout.pixels().to_vec();
    lit.iter().for_each(|place| pixels[*place] += bright.len() as u8);
    let colors: Vec<Rgb> = bright.iter().map(|color| dimmed(*color)).chain(bright.iter().copied()).collect();
    let mut image = Vec::new();
    let size = (cutout.size().width.into(), cutout.size().height.into());
    let mut writer = encoder(&mut image, size, png::BitDepth::Eight, &colors)?;
    let mut lines = writer.stream_writer()?;
    lines.write_all(&pixels)?;
    lines.finish()?;
    writer.finish()?;
    Ok(image)
}

fn dimmed(color: Rgb) -> Rgb {
    std::array::from_fn(|part| {
        let mixed = u32::from(color[part]) * LEFT + u32::from(WALL[part]) * (256 - LEFT);
        (mixed / 256) as u8
    })
}
