//! Blocking work, background tasks and permits, with the refusals for their failures.

use std::error::Error;
use std::marker::PhantomData;
use std::time::Duration;

use tokio::sync::{AcquireError, Semaphore, SemaphorePermit};
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::timeout;

use crate::refusal::{Refusal, internal};

/// The maximum number of concurrent changes of one kind. Each may wait for others with a connection.
const MAX_CONCURRENT_CHANGES: usize = 3;
/// The time that a change waits for others of its kind to end.
const CHANGE_TIMEOUT: Duration = Duration::from_secs(1);

/// The permits for changes of one kind `K`, which wait for one another in the database. Each instance has its
/// own.
pub struct ChangePermits<K> {
    permits: Semaphore,
    kind: PhantomData<fn() -> K>,
}

impl<K> Default for ChangePermits<K> {
    fn default() -> Self {
        Self { permits: Semaphore::new(MAX_CONCURRENT_CHANGES), kind: PhantomData }
    }
}

impl<K> ChangePermits<K> {
    /// Waits for a permit to make a change.
    ///
    /// # Errors
    /// `Overloaded` if too many changes of this kind are made at the same time.
    pub async fn acquire(&self) -> Result<SemaphorePermit<'_>, Refusal> {
        wait_for_permit(CHANGE_TIMEOUT, self.permits.acquire()).await
    }
}

/// Runs long work on a thread that may block. The work continues if the caller is dropped. `attempt` is a
/// noun phrase such as "compressing a page".
///
/// # Errors
/// `Internal` if the work fails or panics.
pub async fn run_blocking<T, E>(
    attempt: &'static str,
    work: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> Result<T, Refusal>
where
    T: Send + 'static,
    E: Into<Box<dyn Error + Send + Sync>> + Send + 'static,
{
    join(attempt, spawn_blocking(work)).await?.map_err(internal(attempt))
}

/// Returns the result of a task.
///
/// # Errors
/// `Internal` if the task panicked.
pub async fn join<T>(attempt: &'static str, task: JoinHandle<T>) -> Result<T, Refusal> {
    task.await.map_err(internal(attempt))
}

/// Waits for a permit of a semaphore, from `acquire` or `acquire_owned`.
///
/// # Errors
/// `Overloaded` if no permit became free within `limit`.
pub async fn wait_for_permit<P>(
    limit: Duration,
    permit: impl Future<Output = Result<P, AcquireError>>,
) -> Result<P, Refusal> {
    let permit = timeout(limit, permit).await.ok().ok_or(Refusal::Overloaded)?;
    permit.map_err(internal("waiting for a permit"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn failed_work_is_an_internal_error_with_its_cause() {
        let failed = run_blocking("drawing", || Err::<(), _>("no memory")).await;
        assert!(
            matches!(failed, Err(Refusal::Internal(error)) if error.chain() == "drawing failed: no memory")
        );
        let panicked = run_blocking("drawing", || -> std::io::Result<()> {
            std::panic::resume_unwind(Box::new("broken"))
        });
        let panicked = panicked.await;
        assert!(matches!(panicked, Err(Refusal::Internal(error)) if error.chain().contains("broken")));
    }

    #[tokio::test]
    async fn missing_permit_is_overload_and_closed_semaphore_is_internal() {
        let permits = Semaphore::new(1);
        let held = wait_for_permit(Duration::ZERO, permits.acquire()).await;
        assert!(held.is_ok());
        let waited = wait_for_permit(Duration::ZERO, permits.acquire()).await;
        assert!(matches!(waited, Err(Refusal::Overloaded)));
        permits.close();
        let closed = wait_for_permit(Duration::ZERO, permits.acquire()).await;
        assert!(matches!(closed, Err(Refusal::Internal(_))));
    }
}
