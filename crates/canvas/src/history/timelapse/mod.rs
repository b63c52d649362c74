//! Timelapses: animations of a part of a season. They are cached, and default ones have a queue of their own.

mod encode;
mod frames;
mod spec;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use platform::cache::Cache;
use platform::concurrency::{join, wait_for_permit};
use platform::refusal::{Refusal, internal};
use platform::work_shares::{ShareLimits, WorkCaller, WorkShares};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::spawn_blocking;

use super::History;
use super::compute_permit::ComputePermit;
use crate::formats::content_etag;
use encode::EncodeError;
use spec::TimelapseKey;
pub use spec::{DEFAULT_SECONDS, TimelapseError, TimelapseFormat, TimelapseRequest, TimelapseSpec};

/// The maximum number of requests that wait for a default timelapse.
const MAX_WAITING_DEFAULT: usize = 64;
/// The limits of other timelapses.
const CUSTOM_LIMITS: ShareLimits = ShareLimits { permits: 1, max_waiting: 8, timeout: RENDER_PERMIT_TIMEOUT };
/// The time that a request waits for a permit to render.
const RENDER_PERMIT_TIMEOUT: Duration = Duration::from_mins(1);
const MAX_CACHE_BYTES: u32 = 64 << 20;
/// The number of frames that are read before they are encoded.
const MAX_BUFFERED_FRAMES: usize = 2;
/// The task's name in the log.
const RENDER_TASK: &str = "rendering a timelapse";

/// A rendered animation.
pub struct Animation {
    pub spec: TimelapseSpec,
    /// The entity tag of the bytes.
    pub etag: String,
    pub bytes: Bytes,
}

/// The recent animations, and the queues for rendering more. Unusual requests cannot delay the default
/// timelapse.
pub(super) struct TimelapseCache {
    cache: Cache<TimelapseKey, Arc<Animation>, TimelapseError>,
    default_queue: RenderQueue,
    custom_renderings: Arc<WorkShares>,
}

/// A queue from which one default timelapse is rendered at a time, for all callers.
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
            custom_renderings: WorkShares::new(CUSTOM_LIMITS),
        }
    }
}

impl History {
    /// Returns the animation of a specification.
    ///
    /// # Errors
    /// Returns `Work` or `Overloaded` if too many requests wait, or `TooLarge` if the file becomes too large.
    pub async fn timelapse(
        self: &Arc<Self>,
        caller: &WorkCaller,
        spec: TimelapseSpec,
    ) -> Result<Arc<Animation>, TimelapseError> {
        let key = spec.key();
        if let Some(animation) = self.timelapses.cache.get(&key) {
            return Ok(animation);
        }
        let permit = if spec.is_default {
            None
        } else {
            Some(ComputePermit::acquire(&self.timelapses.custom_renderings, caller).await?)
        };
        let history = self.clone();
        // The task continues if the client disconnects, so that the animation is cached.
        let render = self.runtime.spawn(async move {
            let compute = history.render_permitted(permit.as_ref(), spec);
            let animation = Box::pin(history.timelapses.cache.get_or_compute(key, |_| true, compute));
            match &permit {
                Some(permit) => permit.wait_for(animation).await,
                None => animation.await,
            }
        });
        join(RENDER_TASK, render).await?
    }

    /// Renders with a permit of the caller, or without one after those that asked before.
    async fn render_permitted(
        &self,
        permit: Option<&ComputePermit>,
        spec: TimelapseSpec,
    ) -> Result<Arc<Animation>, TimelapseError> {
        if let Some(permit) = permit {
            let _permit = permit.take().await?;
            return self.render(spec).await;
        }
        let queue = &self.timelapses.default_queue;
        let _queue_permit = queue.queue_permits.try_acquire().ok().ok_or(Refusal::Overloaded)?;
        let _render_permit = wait_for_permit(RENDER_PERMIT_TIMEOUT, queue.render_permits.acquire()).await?;
        self.render(spec).await
    }

    /// Reads and encodes concurrently. Only a few frames are in memory at a time.
    async fn render(&self, spec: TimelapseSpec) -> Result<Arc<Animation>, TimelapseError> {
        let (sender, receiver) = mpsc::channel(MAX_BUFFERED_FRAMES);
        let encoded = spec.clone();
        let encoding = spawn_blocking(move || encode::encode(&encoded, receiver));
        let read = frames::send_frames(&self.state, &spec, &sender).await;
        drop(sender);
        let bytes = match join(RENDER_TASK, encoding).await? {
            Err(EncodeError::TooLarge) => return Err(TimelapseError::TooLarge),
            encoded => {
                read?;
                encoded.map_err(internal(RENDER_TASK))?
            }
        };
        Ok(Arc::new(Animation { spec, etag: content_etag(&bytes), bytes: bytes.into() }))
    }
}
