//! Runs work on texts off the event loops, with limited concurrency and limited time.
//!
//! Every pass over a text is linear, but a long text made for the purpose still takes some milliseconds,
//! during which an event loop would serve no other request.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::concurrency::{join, wait_for_permit};
use crate::refusal::Refusal;

/// The time limit for the work on a text, and for the wait for a thread before it.
const WORK_TIMEOUT: Duration = Duration::from_secs(2);

/// A kind of work on a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextWork {
    /// Cleaning a text, or assembling cleaned texts.
    Clean,
    /// Searching for secrets, links or profanity.
    Filter,
}

impl TextWork {
    /// Returns the length in bytes up to which a text is processed on the calling thread: this takes well
    /// under a millisecond, whatever the text.
    fn max_inline_bytes(self) -> usize {
        match self {
            Self::Clean => 16 * 1024,
            Self::Filter => 256,
        }
    }
}

/// A limited number of threads for work on texts.
pub struct TextWorkers {
    permits: Arc<Semaphore>,
}

impl Default for TextWorkers {
    /// Allows one thread for each processor: more threads would only take time from the event loops.
    fn default() -> Self {
        let count = std::thread::available_parallelism().map_or(1, usize::from);
        Self { permits: Arc::new(Semaphore::new(count)) }
    }
}

impl TextWorkers {
    /// Runs work of this kind on texts of this many bytes: on the calling thread if they are short, otherwise
    /// on another thread.
    ///
    /// # Errors
    /// `Overloaded` if it gets no thread within two seconds, or does not end within two seconds; its result
    /// is then dropped. `Internal` if it panics.
    pub async fn run<T: Send + 'static>(
        &self,
        kind: TextWork,
        bytes: usize,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Refusal> {
        if bytes <= kind.max_inline_bytes() {
            return Ok(work());
        }
        self.run_within(WORK_TIMEOUT, work).await?.ok_or(Refusal::Overloaded)
    }

    /// Runs `work` on another thread. Returns `None` if it does not end within `limit`. The limit begins when
    /// a thread is free, so other work does not use it up.
    ///
    /// # Errors
    /// `Overloaded` if no thread becomes free within two seconds, `Internal` if the work panics.
    pub async fn run_within<T: Send + 'static>(
        &self,
        limit: Duration,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<Option<T>, Refusal> {
        let permit = wait_for_permit(WORK_TIMEOUT, self.permits.clone().acquire_owned()).await?;
        // Work cannot be interrupted: it holds its permit until it ends, even if no request waits for it any
        // more.
        let work_with_permit = move || {
            let result = work();
            drop(permit);
            result
        };
        timeout(limit, join("work on a text", spawn_blocking(work_with_permit))).await.ok().transpose()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    fn one_thread() -> TextWorkers {
        TextWorkers { permits: Arc::new(Semaphore::new(1)) }
    }

    #[tokio::test]
    async fn long_texts_run_on_another_thread() {
        let workers = TextWorkers::default();
        let this_thread = std::thread::current().id();
        let id = || std::thread::current().id();
        for kind in [TextWork::Clean, TextWork::Filter] {
            let max_bytes = kind.max_inline_bytes();
            assert_eq!(workers.run(kind, max_bytes, id).await.unwrap(), this_thread);
            assert_ne!(workers.run(kind, max_bytes + 1, id).await.unwrap(), this_thread);
        }
    }

    #[tokio::test]
    async fn endless_work_keeps_its_thread_and_times_out() {
        let workers = one_thread();
        let (release, receiver) = mpsc::channel::<()>();
        let endless = move || receiver.recv().is_ok();
        assert_eq!(workers.run_within(Duration::from_millis(1), endless).await.unwrap(), None);
        let next = workers.run_within(Duration::ZERO, || true);
        let freed = async { release.send(()).unwrap() };
        let (next, ()) = tokio::join!(next, freed);
        assert!(next.is_ok(), "the limit of one begins when another has ended");
        assert_eq!(workers.run_within(WORK_TIMEOUT, || true).await.unwrap(), Some(true));
    }

    #[tokio::test]
    async fn panicking_work_frees_its_thread() {
        let workers = one_thread();
        let panic = workers.run_within(WORK_TIMEOUT, || std::panic::resume_unwind(Box::new(()))).await;
        assert!(matches!(panic, Err::<Option<()>, _>(Refusal::Internal(_))));
        assert_eq!(workers.run_within(WORK_TIMEOUT, || 1).await.unwrap(), Some(1));
    }
}
