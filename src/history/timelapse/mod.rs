//! Timelapses: a stretch of a season in so many seconds, kept for all who ask; the usual ones are drawn apart from others.

mod encode;
mod frames;
mod plan;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::{Semaphore, mpsc};
use tokio::task::spawn_blocking;

use super::History;
use crate::cache::Cache;
use crate::canvas::formats::content_etag;
use crate::concurrency::{join, wait_for_permit};
use crate::refusal::{Refusal, internal};
use encode::EncodeError;
use plan::TimelapseKey;
pub use plan::{TimelapseError, TimelapseFormat, TimelapsePlan, TimelapseRequest};

/// How many may wait while one is drawn, of those who ask for the usual one and of all others.
const MAX_WAITING_DEFAULT: usize = 64;
const MAX_WAITING_CUSTOM: usize = 8;
/// How long they wait.
const RENDER_PERMIT_TIMEOUT: Duration = Duration::from_mins(1);
const MAX_CACHE_BYTES: u32 = 64 << 20;
/// Frames that are read ahead of the one that is encoded.
const MAX_BUFFERED_FRAMES: usize = 2;
/// The attempt that the log names when it fails.
const RENDER_TASK: &str = "drawing a timelapse";

/// An animation that is ready.
pub struct Animation {
    pub plan: TimelapsePlan,
    /// Stands for the bytes.
    pub etag: String,
    pub bytes: Bytes,
}

/// The animations of late, and the right to draw one more: whatever else someone asks for, all others
/// get the usual one.
pub(super) struct TimelapseCache {
    cache: Cache<TimelapseKey, Arc<Animation>, TimelapseError>,
    default_queue: RenderQueue,
    custom_queue: RenderQueue,
}

/// Where one is drawn at a time.
struct RenderQueue {
    queue_permits: Semaphore,
    render_permits: Semaphore,
}

impl RenderQueue {
    fn new(max_waiting: usize) -> Self {
        Self { queue_permits: Semaphore::new(max_waiting + 1), render_permits: Semaphore::new(1) }
    }
}

impl Default for TimelapseCache {
    fn default() -> Self {
        let cache = Cache::new("timelapse", MAX_CACHE_BYTES, None, |animation: &Arc<Animation>| {
            animation.bytes.len()
        });
        Self {
            cache,
            default_queue: RenderQueue::new(MAX_WAITING_DEFAULT),
            custom_queue: RenderQueue::new(MAX_WAITING_CUSTOM),
        }
    }
}

impl History {
    /// The animation of a plan.
    ///
    /// # Errors
    /// `Overloaded` when too many wait; `TooMuch` when it gets too large; or that the database cannot be read.
    pub async fn timelapse(self: &Arc<Self>, plan: TimelapsePlan) -> Result<Arc<Animation>, TimelapseError> {
        let key = plan.key();
        if let Some(animation) = self.timelapses.cache.get(&key) {
            return Ok(animation);
        }
        let history = self.clone();
        // Goes on without the one who asked, so that what was begun is cached.
        let render = self.runtime.spawn(async move {
            history.timelapses.cache.get_or_compute(key, |_| true, history.render_queued(plan)).await
        });
        join(RENDER_TASK, render).await?
    }

    async fn render_queued(&self, plan: TimelapsePlan) -> Result<Arc<Animation>, TimelapseError> {
        let queue =
            if plan.is_default { &self.timelapses.default_queue } else { &self.timelapses.custom_queue };
        let _queue_permit = queue.queue_permits.try_acquire().ok().ok_or(Refusal::Overloaded)?;
        let _render_permit = wait_for_permit(RENDER_PERMIT_TIMEOUT, queue.render_permits.acquire()).await?;
        self.render(plan).await
    }

    /// Reads and encodes side by side; neither holds more than a few frames.
    async fn render(&self, plan: TimelapsePlan) -> Result<Arc<Animation>, TimelapseError> {
        let (sender, receiver) = mpsc::channel(MAX_BUFFERED_FRAMES);
        let encoded = plan.clone();
        let encoding = spawn_blocking(move || encode::encode(&encoded, receiver));
        let read = frames::send_frames(&self.state, &plan, &sender).await;
        drop(sender);
        let bytes = match join(RENDER_TASK, encoding).await? {
            Err(EncodeError::TooLarge) => return Err(TimelapseError::TooLarge),
            encoded => {
                read?;
                encoded.map_err(internal(RENDER_TASK))?
            }
        };
        Ok(Arc::new(Animation { plan, etag: content_etag(&bytes), bytes: bytes.into() }))
    }
}
