//! The threads that render the current canvas: its images, regions and heatmaps.

use std::error::Error;
use std::sync::LazyLock;
use std::time::Duration;

use platform::refusal::Refusal;
use platform::worker_pool::WorkerPool;

/// The maximum number of threads.
const MAX_THREADS: usize = 8;
/// The time that a rendering waits for a thread.
const THREAD_TIMEOUT: Duration = Duration::from_secs(5);

static THREADS: LazyLock<WorkerPool> = LazyLock::new(|| WorkerPool::for_processors("render", MAX_THREADS));

/// Renders on one of the threads. The rendering continues if the caller is dropped. `attempt` is a noun
/// phrase such as "rendering an image".
///
/// # Errors
/// `Overloaded` if no thread becomes free in time, `Internal` if the rendering fails or panics.
pub async fn render<T, E>(
    attempt: &'static str,
    work: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> Result<T, Refusal>
where
    T: Send + 'static,
    E: Into<Box<dyn Error + Send + Sync>> + Send + 'static,
{
    THREADS.run(attempt, THREAD_TIMEOUT, work).await
}
