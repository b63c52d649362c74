//! Pictures of the canvas: drawn off the workers, one at a time and at most so often, and shared by all who ask.

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use governor::{DefaultDirectRateLimiter, Quota};
use parking_lot::Mutex;
use prometheus::Histogram;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::picture::{Cutout, short};
use super::visual;
use crate::clock;
use crate::refusal::Refusal;
use crate::rules::grid::Rect;
use crate::state::AppState;
use crate::telemetry::METRICS;

/// How often one picture may be drawn anew at once, and per second later on: together at most 20 in any second.
const AT_ONCE: NonZeroU32 = NonZeroU32::new(8).unwrap();
const PER_SECOND: NonZeroU32 = NonZeroU32::new(12).unwrap();
/// A picture that takes longer to draw counts as several.
const USUAL: Duration = Duration::from_millis(5);
/// How long one who could have the picture before waits for the newest.
const GLANCE: Duration = Duration::from_millis(8);
/// A picture older than this is nothing to look at.
const RECENT: Duration = Duration::from_secs(1);
/// How long one who has nothing to look at waits.
const PATIENCE: Duration = Duration::from_secs(5);
/// How much is kept.
const MOST_PICTURES: usize = 256;
const MOST_BYTES: usize = 32 << 20;

/// What a picture shows, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum View {
    /// The whole canvas, with so many image pixels for each pixel, each way.
    Plain(u16),
    /// A part of it for vision models.
    Visual(Rect),
}

/// A picture that is ready.
#[derive(Debug)]
pub struct Picture {
    /// Number of the last event that it shows.
    pub version: i64,
    /// No other picture has the same, today or later.
    pub tag: String,
    /// A PNG.
    pub body: Bytes,
}

/// A kept picture.
struct Kept {
    picture: Arc<Picture>,
    /// Stands for the pixels that it was drawn from.
    pixels: blake3::Hash,
    pace: Arc<DefaultDirectRateLimiter>,
    /// What drawing it again costs.
    price: NonZeroU32,
    drawn_at: Instant,
    /// When someone last asked for it, in requests.
    asked: u64,
}

/// What is kept.
#[derive(Default)]
struct Shelf {
    kept: HashMap<View, Kept>,
    bytes: usize,
    requests: u64,
}

/// The newest picture of each view that was asked for lately.
pub struct Pictures {
    shelf: Mutex<Shelf>,
    turn: Arc<Semaphore>,
}

impl Default for Pictures {
    fn default() -> Self {
        Self { shelf: Mutex::default(), turn: Arc::new(Semaphore::new(1)) }
    }
}

impl Pictures {
    /// The picture of now, if it was drawn before.
    pub fn ready(&self, state: &AppState, view: View) -> Option<Arc<Picture>> {
        let version = state.snapshot(|world| world.version);
        let ready = self.kept(view).filter(|picture| picture.version >= version);
        METRICS.game.canvas.hits.inc_by(ready.is_some().into());
        ready
    }

    /// The picture of now; or, while the canvas changes faster than pictures are drawn, one from just before.
    ///
    /// # Errors
    /// `Overloaded` when too many different ones are asked for.
    pub async fn get(self: &Arc<Self>, state: &Arc<AppState>, view: View) -> Result<Arc<Picture>, Refusal> {
        let version = state.snapshot(|world| world.version);
        let before = self.kept(view);
        let recent = before.filter(|_| self.is_recent(view));
        let patience = if recent.is_some() { GLANCE } else { PATIENCE };
        let Ok(Ok(turn)) = timeout(patience, self.turn.clone().acquire_owned()).await else {
            return recent.ok_or(Refusal::Overloaded);
        };
        // Who waited takes what was drawn meanwhile.
        if let Some(picture) =
            self.kept(view).filter(|picture| picture.version >= version || !self.is_due(view))
        {
            return Ok(picture);
        }
        let (pictures, state) = (self.clone(), state.clone());
        // Goes on without the one who asked, so that what was begun is kept.
        let drawing = tokio::task::spawn_blocking(move || pictures.draw(&state, view, &turn));
        drawing.await.ok().and_then(Result::ok).ok_or(Refusal::Overloaded)
    }

    /// What the picture of a view is tagged with at a version of a season.
    pub fn tag(season: &str, version: i64, view: View) -> String {
        let season = short(season);
        match view {
            View::Plain(scale) => format!("\"{season}-{version}-png{scale}\""),
            View::Visual(rect) => {
                let corners = rect.corners();
                let span = [corners.x1, corners.y1, corners.x2, corners.y2].map(|side| side.to_string());
                format!("\"{season}-{version}-visual-{}\"", span.join("."))
            }
        }
    }

    fn kept(&self, view: View) -> Option<Arc<Picture>> {
        let shelf = &mut *self.shelf.lock();
        shelf.requests += 1;
        let kept = shelf.kept.get_mut(&view)?;
        kept.asked = shelf.requests;
        Some(kept.picture.clone())
    }

    fn is_recent(&self, view: View) -> bool {
        self.shelf.lock().kept.get(&view).is_some_and(|kept| kept.drawn_at.elapsed() < RECENT)
    }

    /// Whether a view may be drawn again; the answer yes counts.
    fn is_due(&self, view: View) -> bool {
        let shelf = self.shelf.lock();
        let within = |kept: &Kept| matches!(kept.pace.check_n(kept.price), Ok(Ok(())));
        shelf.kept.get(&view).is_none_or(within)
    }

    /// Draws a view and keeps it. The turn is only held.
    fn draw(
        &self,
        state: &AppState,
        view: View,
        _: &OwnedSemaphorePermit,
    ) -> Result<Arc<Picture>, png::EncodingError> {
        let cutout = state.snapshot(|world| match view {
            View::Plain(_) => Cutout::of(world, world.season.size.whole()),
            View::Visual(rect) => Cutout::of(world, rect),
        });
        METRICS.game.canvas.misses.inc();
        let begun = clock::moment();
        let pixels = blake3::hash(cutout.pixels());
        let body = match self.same(view, pixels) {
            Some(body) => body,
            None => match view {
                View::Plain(scale) => cutout.png(scale)?,
                View::Visual(_) => visual::png(&cutout)?,
            }
            .into(),
        };
        drawn(view).observe(begun.elapsed().as_secs_f64());
        let tag = Self::tag(cutout.season(), cutout.version(), view);
        let picture = Arc::new(Picture { version: cutout.version(), tag, body });
        self.shelf.lock().keep(view, &picture, pixels, price(begun.elapsed()));
        Ok(picture)
    }

    /// The image of these pixels, if it is the one that is kept: most changes are outside a small part.
    fn same(&self, view: View, pixels: blake3::Hash) -> Option<Bytes> {
        let shelf = self.shelf.lock();
        let kept = shelf.kept.get(&view).filter(|kept| kept.pixels == pixels)?;
        Some(kept.picture.body.clone())
    }
}

impl Shelf {
    fn keep(&mut self, view: View, picture: &Arc<Picture>, pixels: blake3::Hash, price: NonZeroU32) {
        let fresh =
            || Arc::new(DefaultDirectRateLimiter::direct(Quota::per_second(PER_SECOND).allow_burst(AT_ONCE)));
        let before = self.take(view);
        let pace = before.map_or_else(fresh, |before| before.pace);
        self.bytes += picture.body.len();
        let (drawn_at, asked) = (clock::moment(), self.requests);
        let kept = Kept { picture: picture.clone(), pixels, pace, price, drawn_at, asked };
        self.kept.insert(view, kept);
        while self.kept.len() > MOST_PICTURES || (self.bytes > MOST_BYTES && self.kept.len() > 1) {
            let longest_ago =
                self.kept.iter().filter(|(other, _)| **other != view).min_by_key(|(_, kept)| kept.asked);
            let Some(view) = longest_ago.map(|(view, _)| *view) else { break };
            self.take(view);
        }
    }

    fn take(&mut self, view: View) -> Option<Kept> {
        let kept = self.kept.remove(&view)?;
        self.bytes -= kept.picture.body.len();
        Some(kept)
    }
}

fn drawn(view: View) -> &'static Histogram {
    match view {
        View::Plain(_) => &METRICS.game.drawn_png,
        View::Visual(_) => &METRICS.game.drawn_visual,
    }
}

fn price(took: Duration) -> NonZeroU32 {
    let usual = took.as_micros() / USUAL.as_micros() + 1;
    let price = u32::try_from(usual).ok().and_then(NonZeroU32::new).unwrap_or(AT_ONCE);
    price.min(AT_ONCE)
}
