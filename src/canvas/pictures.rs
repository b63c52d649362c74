//! Pictures of the canvas: drawn off the workers, one at a time and at most so often, and shared by all who ask.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use governor::{DefaultDirectRateLimiter, Quota};
use rules::grid::Rect;
use tokio::sync::Semaphore;

use super::picture::{Cutout, short};
use super::visual;
use crate::cache::Cache;
use crate::clock;
use crate::concurrency::{join, run_blocking, wait_for_permit};
use crate::refusal::Refusal;
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
const MAX_BYTES: u32 = 32 << 20;

/// What a picture shows, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum View {
    /// The whole canvas, with so many image pixels for each pixel, each way.
    Plain(u16),
    /// A part of it for vision models.
    Visual(Rect),
}

/// A picture that is ready.
pub struct Picture {
    /// Number of the last event that it shows.
    pub version: i64,
    /// No other picture has the same, today or later.
    pub tag: String,
    /// A PNG.
    pub body: Bytes,
    /// The hash of the pixels that it was drawn from.
    pixels: blake3::Hash,
    /// Shared by all pictures of one view.
    pace: Arc<DefaultDirectRateLimiter>,
    /// What drawing it again costs.
    price: NonZeroU32,
    drawn_at: Instant,
}

impl Picture {
    /// Whether the view may be drawn again; the answer yes counts.
    fn is_due(&self) -> bool {
        matches!(self.pace.check_n(self.price), Ok(Ok(())))
    }
}

/// The newest picture of each view that was asked for lately.
pub struct Pictures {
    cache: Cache<View, Arc<Picture>>,
    turn: Arc<Semaphore>,
}

impl Default for Pictures {
    fn default() -> Self {
        let cache = Cache::new("canvas", MAX_BYTES, None, |picture: &Arc<Picture>| picture.body.len());
        Self { cache, turn: Arc::new(Semaphore::new(1)) }
    }
}

impl Pictures {
    /// Returns the newest picture of a view.
    ///
    /// # Errors
    /// `Overloaded` when too many different ones are asked for.
    pub async fn newest(&self, state: &Arc<AppState>, view: View) -> Result<Arc<Picture>, Refusal> {
        let version = state.snapshot(|world| world.version);
        match self.cache.get_if(&view, |picture| picture.version >= version) {
            Some(ready) => Ok(ready),
            // Large while it waits: most requests need not carry the room for it.
            None => Box::pin(self.draw_in_turn(state, view, version)).await,
        }
    }

    /// The picture of now; or, while the canvas changes faster than pictures are drawn, one from just before.
    ///
    /// # Errors
    /// `Overloaded` when too many different ones are asked for.
    async fn draw_in_turn(
        &self,
        state: &Arc<AppState>,
        view: View,
        version: i64,
    ) -> Result<Arc<Picture>, Refusal> {
        let recent = self.cache.peek(&view).filter(|picture| picture.drawn_at.elapsed() < RECENT);
        let patience = if recent.is_some() { GLANCE } else { PATIENCE };
        let turn = match wait_for_permit(patience, self.turn.clone().acquire_owned()).await {
            Ok(turn) => turn,
            Err(refusal) => return recent.ok_or(refusal),
        };
        // A waiter takes what was drawn meanwhile.
        let before = self.cache.peek(&view);
        if let Some(picture) =
            before.as_ref().filter(|picture| picture.version >= version || !picture.is_due())
        {
            return Ok(picture.clone());
        }
        let (cache, state) = (self.cache.clone(), state.clone());
        // Goes on without the one who asked, so that what was begun is cached.
        let drawing = tokio::spawn(async move {
            let _turn = turn;
            let drawing = run_blocking("drawing a picture", move || draw(&state, view, before.as_deref()));
            let picture = Arc::new(drawing.await?);
            cache.insert(view, picture.clone()).await;
            Ok(picture)
        });
        join("drawing a picture", drawing).await?
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
}

/// Draws a view anew. The image of the same pixels is taken as it is: most changes are outside a small part.
fn draw(state: &AppState, view: View, before: Option<&Picture>) -> Result<Picture, png::EncodingError> {
    let cutout = state.snapshot(|world| match view {
        View::Plain(_) => Cutout::of(world, world.season.size.full_rect()),
        View::Visual(rect) => Cutout::of(world, rect),
    });
    let begun = clock::moment();
    let pixels = blake3::hash(cutout.pixels());
    let body = match (before.filter(|before| before.pixels == pixels), view) {
        (Some(same), _) => same.body.clone(),
        (None, View::Plain(scale)) => cutout.png(scale)?.into(),
        (None, View::Visual(_)) => visual::png(&cutout)?.into(),
    };
    let drawn = match view {
        View::Plain(_) => &METRICS.game.drawn_png,
        View::Visual(_) => &METRICS.game.drawn_visual,
    };
    drawn.observe(begun.elapsed().as_secs_f64());
    let tag = Pictures::tag(cutout.season(), cutout.version(), view);
    let price = price(begun.elapsed());
    let fresh =
        || Arc::new(DefaultDirectRateLimiter::direct(Quota::per_second(PER_SECOND).allow_burst(AT_ONCE)));
    let pace = before.map_or_else(fresh, |before| before.pace.clone());
    Ok(Picture { version: cutout.version(), tag, body, pixels, pace, price, drawn_at: clock::moment() })
}

fn price(took: Duration) -> NonZeroU32 {
    let usual = took.as_micros() / USUAL.as_micros() + 1;
    let price = u32::try_from(usual).ok().and_then(NonZeroU32::new).unwrap_or(AT_ONCE);
    price.min(AT_ONCE)
}
