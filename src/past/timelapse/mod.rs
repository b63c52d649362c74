//! Timelapses: a stretch of a season in so many seconds, kept for all who ask; the usual ones are drawn apart from others.

mod encode;
mod frames;
mod plan;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::{Semaphore, mpsc};
use tokio::task::spawn_blocking;

use super::Past;
use crate::cache::Cache;
use crate::canvas::picture::content_tag;
use crate::concurrency::{join, wait_for_permit};
use crate::refusal::{Refusal, internal};
use encode::EncodeError;
use plan::PlanKey;
pub use plan::{Asked, Format, Plan, Unfit};

/// How many may wait while one is drawn, of those who ask for the usual one and of all others.
const CROWD: usize = 64;
const QUEUE: usize = 8;
/// How long they wait.
const PATIENCE: Duration = Duration::from_mins(1);
const MAX_BYTES: u32 = 64 << 20;
/// Frames that are read ahead of the one that is encoded.
const AHEAD: usize = 2;
/// The attempt that the log names when it fails.
const DRAWING: &str = "drawing a timelapse";

/// An animation that is ready.
pub struct Animation {
    pub plan: Plan,
    /// Stands for the bytes.
    pub tag: String,
    pub bytes: Bytes,
}

/// The animations of late, and the right to draw one more: whatever else someone asks for, all others
/// get the usual one.
pub(super) struct Timelapses {
    cache: Cache<PlanKey, Arc<Animation>, Unfit>,
    usual: Lane,
    others: Lane,
}

/// Where one is drawn at a time.
struct Lane {
    places: Semaphore,
    turn: Semaphore,
}

impl Lane {
    fn of(queue: usize) -> Self {
        Self { places: Semaphore::new(queue + 1), turn: Semaphore::new(1) }
    }
}

impl Default for Timelapses {
    fn default() -> Self {
        let cache =
            Cache::new("timelapse", MAX_BYTES, None, |animation: &Arc<Animation>| animation.bytes.len());
        Self { cache, usual: Lane::of(CROWD), others: Lane::of(QUEUE) }
    }
}

impl Past {
    /// The animation of a plan.
    ///
    /// # Errors
    /// `Overloaded` when too many wait; `TooMuch` when it gets too large; or that the database cannot be read.
    pub async fn timelapse(self: &Arc<Self>, plan: Plan) -> Result<Arc<Animation>, Unfit> {
        let key = plan.key();
        if let Some(animation) = self.timelapses.cache.get(&key) {
            return Ok(animation);
        }
        let past = self.clone();
        // Goes on without the one who asked, so that what was begun is cached.
        let drawing = self.runtime.spawn(async move {
            past.timelapses.cache.get_or_compute(key, |_| true, past.draw_in_turn(plan)).await
        });
        join(DRAWING, drawing).await?
    }

    async fn draw_in_turn(&self, plan: Plan) -> Result<Arc<Animation>, Unfit> {
        let lane = if plan.usual { &self.timelapses.usual } else { &self.timelapses.others };
        let _place = lane.places.try_acquire().ok().ok_or(Refusal::Overloaded)?;
        let _turn = wait_for_permit(PATIENCE, lane.turn.acquire()).await?;
        self.draw(plan).await
    }

    /// Reads and encodes side by side; neither holds more than a few frames.
    async fn draw(&self, plan: Plan) -> Result<Arc<Animation>, Unfit> {
        let (sender, receiver) = mpsc::channel(AHEAD);
        let encoded = plan.clone();
        let encoding = spawn_blocking(move || encode::encode(&encoded, receiver));
        let read = frames::read(&self.state, &plan, &sender).await;
        drop(sender);
        let bytes = match join(DRAWING, encoding).await? {
            Err(EncodeError::TooLarge) => return Err(Unfit::TooMuch),
            encoded => {
                read?;
                encoded.map_err(internal(DRAWING))?
            }
        };
        Ok(Arc::new(Animation { plan, tag: content_tag(&bytes), bytes: bytes.into() }))
    }
}
