//! Runs work on texts off the event loops, with limited concurrency and limited time.
//!
//! Every pass over a text is linear, but a long text made for the purpose still takes some milliseconds,
//! during which an event loop would serve no other request.

use std::time::Duration;

use crate::refusal::Refusal;
use crate::worker_pool::{TimeLimits, WorkerPool};

/// The time limit for the work on a text, and for its wait for a thread.
const WORK_TIMEOUT: Duration = Duration::from_secs(2);
/// The maximum number of threads. Each keeps the caches of its searches, some megabytes.
const MAX_THREADS: usize = 8;
/// The name of the work in errors.
const ATTEMPT: &str = "work on a text";

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
    pool: WorkerPool,
    /// The time that work may wait for a thread.
    pub wait: Duration,
}

impl TextWorkers {
    /// Returns threads with this name.
    pub fn new(name: &'static str) -> Self {
        Self { pool: WorkerPool::for_processors(name, MAX_THREADS), wait: WORK_TIMEOUT }
    }

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

    /// Runs `work` on another thread. Returns `None` if it does not end within `limit`, which begins when the
    /// work does: neither other work nor a busy machine uses it up.
    ///
    /// # Errors
    /// `Overloaded` if the work does not begin in time, `Internal` if it panics.
    pub async fn run_within<T: Send + 'static>(
        &self,
        limit: Duration,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<Option<T>, Refusal> {
        self.pool.run_within(ATTEMPT, TimeLimits { wait: self.wait, run: limit }, work).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn long_texts_run_on_another_thread() {
        let workers = TextWorkers::new("test");
        let this_thread = std::thread::current().id();
        let id = || std::thread::current().id();
        for kind in [TextWork::Clean, TextWork::Filter] {
            let max_bytes = kind.max_inline_bytes();
            assert_eq!(workers.run(kind, max_bytes, id).await.unwrap(), this_thread);
            assert_ne!(workers.run(kind, max_bytes + 1, id).await.unwrap(), this_thread);
        }
    }
}
