//! One painter's hand: the canvas dimmed but for the pixels that show its paint.

use std::io::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::heat::Heats;
use super::picture::{Cutout, encoder};
use super::store;
use crate::clock;
use crate::refusal::Refusal;
use crate::rules::ids::AgentId;
use crate::rules::palette::{self, Rgb};
use crate::state::AppState;

/// A picture is drawn again for the same painter after this at the soonest.
const PAUSE: Duration = Duration::from_secs(10);
/// How many bytes are kept, whatever the newest picture has.
const MOST_BYTES: usize = 16 << 20;
/// How many pictures are drawn at once, and how long one waits for a turn.
const TURNS: usize = 2;
const PATIENCE: Duration = Duration::from_secs(5);
/// What is not the painter's is mixed with the wall: so much of its own light is left, in parts of 256.
const LEFT: u32 = 32;
const WALL: Rgb = [0x23, 0x1f, 0x1b];

/// A painter's picture, as a PNG.
pub struct Hand {
    /// Its entity tag.
    pub tag: String,
    pub body: Bytes,
    drawn_at: Instant,
}

/// The painters' pictures that were drawn lately, the newest last.
pub struct Hands {
    kept: Mutex<Vec<(AgentId, Arc<Hand>)>>,
    turns: Arc<Semaphore>,
}

impl Default for Hands {
    fn default() -> Self {
        Self { kept: Mutex::default(), turns: Arc::new(Semaphore::new(TURNS)) }
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
    ) -> Result<Option<Arc<Hand>>, Refusal> {
        let turn = match self.recent(agent) {
            Some(hand) => return Ok(Some(hand)),
            None => self.turn().await?,
        };
        // Drawn meanwhile, for someone else who asked.
        if let Some(hand) = self.recent(agent) {
            return Ok(Some(hand));
        }
        let Some(number) = store::number_of(&state.pool, agent.as_str()).await? else { return Ok(None) };
        let (cutout, held) = heats.held_by(state, number).await?;
        // Goes on without the one who asked, and keeps the turn till then.
        let drawn =
            tokio::task::spawn_blocking(move || draw(&cutout, &held).map(|drawn| (drawn, turn))).await;
        let (drawn, _turn) = drawn.ok().and_then(Result::ok).ok_or(Refusal::Overloaded)?;
        let body = Bytes::from(drawn);
        let tag = format!("\"{}\"", &blake3::hash(&body).to_hex()[..16]);
        let hand = Arc::new(Hand { tag, body, drawn_at: clock::moment() });
        self.keep(agent.clone(), hand.clone());
        Ok(Some(hand))
    }

    async fn turn(&self) -> Result<OwnedSemaphorePermit, Refusal> {
        let turn = timeout(PATIENCE, self.turns.clone().acquire_owned()).await;
        turn.ok().and_then(Result::ok).ok_or(Refusal::Overloaded)
    }

    fn recent(&self, agent: &AgentId) -> Option<Arc<Hand>> {
        let kept = self.kept.lock();
        let of_agent = kept.iter().find(|(painter, hand)| painter == agent && hand.is_fresh());
        of_agent.map(|(_, hand)| hand.clone())
    }

    fn keep(&self, agent: AgentId, hand: Arc<Hand>) {
        let mut kept = self.kept.lock();
        kept.retain(|(_, hand)| hand.is_fresh());
        kept.push((agent, hand));
        let mut bytes: usize = kept.iter().map(|(_, hand)| hand.body.len()).sum();
        while bytes > MOST_BYTES && kept.len() > 1 {
            bytes -= kept.remove(0).1.body.len();
        }
    }
}

impl Hand {
    fn is_fresh(&self) -> bool {
        self.drawn_at.elapsed() < PAUSE
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

#[cfg(test)]
mod tests {
    use super::*;

    fn agent(number: usize) -> AgentId {
        AgentId::parse(&format!("agent_{number:032x}")).unwrap()
    }

    #[test]
    fn the_newest_picture_is_kept_and_the_oldest_goes_first() {
        let hands = Hands::default();
        for number in 0..5 {
            let body = Bytes::from(vec![0; MOST_BYTES / 4]);
            let hand = Hand { tag: number.to_string(), body, drawn_at: clock::moment() };
            hands.keep(agent(number), Arc::new(hand));
        }
        let kept: Vec<bool> = (0..5).map(|number| hands.recent(&agent(number)).is_some()).collect();
        assert_eq!(kept, [false, true, true, true, true]);
    }
}
