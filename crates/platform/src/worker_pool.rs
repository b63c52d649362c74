//! Pools of named threads for blocking work of one kind, so that no kind of work takes the threads of
//! another.
//!
//! All blocking work shares Tokio's own blocking threads: if work of one kind fills them, all other work
//! waits.

mod thread_clock;

use std::error::Error;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::concurrency::{join, wait_for_permit};
use crate::refusal::{Refusal, internal};
use thread_clock::ThreadClock;

/// The time after which an idle thread ends. It is long, because searches keep their caches by thread.
const KEEP_ALIVE: Duration = Duration::from_hours(24);
/// The number of steps in which a time limit is measured.
const LIMIT_STEPS: u32 = 10;
/// The time for which work that waits for a processor, or has not begun on its thread, may take longer than
/// its limit.
const MAX_STARVED_TIME: Duration = Duration::from_secs(5);

/// A number of threads for blocking work of one kind.
pub struct WorkerPool {
    /// A runtime that does nothing but run blocking work; `None` if it could not be created.
    runtime: Option<Runtime>,
    /// One for each thread. Work cannot be interrupted, so it holds its permit until it ends, even if nobody
    /// waits for it.
    permits: Arc<Semaphore>,
}

/// The time limits of work.
#[derive(Clone, Copy, Debug)]
pub struct TimeLimits {
    /// The time that it may wait for a thread.
    pub wait: Duration,
    /// The time that it may take once it has begun. Time for which its thread waits for a processor does not
    /// count.
    pub run: Duration,
}

impl WorkerPool {
    /// Returns a pool of this many threads. They begin when they are first needed. The name has at most 15
    /// letters.
    pub fn new(name: &'static str, threads: usize) -> Self {
        let mut builder = Builder::new_current_thread();
        builder.thread_name(name).max_blocking_threads(threads).thread_keep_alive(KEEP_ALIVE);
        let log =
            |error: &std::io::Error| tracing::error!(%error, name, "a pool of threads cannot be created");
        let runtime = builder.build().inspect_err(log).ok();
        Self { runtime, permits: Arc::new(Semaphore::new(threads)) }
    }

    /// Returns a pool with one thread for each processor, at most `max`: more threads would only take time
    /// from the event loops.
    pub fn for_processors(name: &'static str, max: usize) -> Self {
        Self::new(name, std::thread::available_parallelism().map_or(1, usize::from).clamp(1, max))
    }

    /// Runs work to its end. `attempt` is a noun phrase such as "rendering an image".
    ///
    /// # Errors
    /// `Overloaded` if no thread becomes free within `wait`, `Internal` if the work fails or panics.
    pub async fn run<T, E>(
        &self,
        attempt: &'static str,
        wait: Duration,
        work: impl FnOnce() -> Result<T, E> + Send + 'static,
    ) -> Result<T, Refusal>
    where
        T: Send + 'static,
        E: Into<Box<dyn Error + Send + Sync>> + Send + 'static,
    {
        let permit = self.acquire(wait).await?;
        let begun = Arc::default();
        join(attempt, self.spawn(permit, &begun, work)?).await?.map_err(internal(attempt))
    }

    /// Runs work. Returns `None` if it has not ended when its time is up; its result is then dropped. The
    /// time begins when the work begins on its thread.
    ///
    /// # Errors
    /// `Overloaded` if it does not begin in time, or gets too little of a processor to say whether it would
    /// end; `Internal` if it panics.
    pub async fn run_within<T: Send + 'static>(
        &self,
        attempt: &'static str,
        limits: TimeLimits,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<Option<T>, Refusal> {
        let permit = self.acquire(limits.wait).await?;
        let begun = Arc::default();
        let mut task = self.spawn(permit, &begun, work)?;
        let step = (limits.run / LIMIT_STEPS).max(Duration::from_millis(1));
        let mut counted = Duration::ZERO;
        let mut total = Duration::ZERO;
        let mut progress = None;
        while total < limits.run + MAX_STARVED_TIME {
            if let Ok(done) = timeout(step, &mut task).await {
                return done.map(Some).map_err(internal(attempt));
            }
            total += step;
            let Some(clock) = begun.get() else { continue };
            let now = clock.read();
            counted += thread_clock::counted_time(progress, now, step);
            progress = now;
            if counted >= limits.run {
                return Ok(None);
            }
        }
        // Work that has not begun never does.
        task.abort();
        Err(Refusal::Overloaded)
    }

    async fn acquire(&self, wait: Duration) -> Result<OwnedSemaphorePermit, Refusal> {
        wait_for_permit(wait, self.permits.clone().acquire_owned()).await
    }

    /// Begins work on a thread. `permit` is kept until it ends; `begun` is set when it begins.
    fn spawn<T: Send + 'static>(
        &self,
        permit: impl Send + 'static,
        begun: &Arc<OnceLock<ThreadClock>>,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<JoinHandle<T>, Refusal> {
        let runtime = self.runtime.as_ref().ok_or(Refusal::Overloaded)?;
        let begun = begun.clone();
        Ok(runtime.handle().spawn_blocking(move || {
            let _permit = permit;
            let _ = begun.set(ThreadClock::of_this_thread());
            work()
        }))
    }
}

impl Drop for WorkerPool {
    fn drop(&mut self) {
        // An ordinary drop would wait for the work.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    const LIMITS: TimeLimits = TimeLimits { wait: Duration::from_secs(2), run: Duration::from_millis(250) };

    async fn run<T: Send + 'static>(
        pool: &WorkerPool,
        limits: TimeLimits,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<Option<T>, Refusal> {
        pool.run_within("testing", limits, work).await
    }

    /// Work that hangs until it is released, and a way to know that it has begun.
    struct Hang {
        begun: mpsc::Receiver<()>,
        release: mpsc::Sender<()>,
    }

    fn hang() -> (impl FnOnce() + Send + 'static, Hang) {
        let (begin, begun) = mpsc::channel();
        let (release, released) = mpsc::channel::<()>();
        let work = move || {
            begin.send(()).unwrap();
            let _ = released.recv();
        };
        (work, Hang { begun, release })
    }

    #[tokio::test]
    async fn the_time_of_work_begins_when_it_begins() {
        let pool = Arc::new(WorkerPool::new("test", 1));
        let (work, hung) = hang();
        let waiting = pool.clone();
        let first = tokio::spawn(async move {
            waiting
                .run("testing", LIMITS.wait, || {
                    work();
                    Ok::<_, &str>(())
                })
                .await
        });
        while hung.begun.try_recv().is_err() {
            tokio::task::yield_now().await;
        }
        let next = run(&pool, TimeLimits { run: Duration::ZERO, ..LIMITS }, || true);
        let freed = async {
            tokio::task::yield_now().await;
            drop(hung.release);
        };
        let (next, ()) = tokio::join!(next, freed);
        assert!(next.is_ok(), "the wait for the first did not count");
        first.await.unwrap().unwrap();
    }

    #[tokio::test]
    async fn hung_work_has_no_result_and_keeps_its_thread() {
        let pool = WorkerPool::new("test", 1);
        let (work, hung) = hang();
        let limits = TimeLimits { run: Duration::from_millis(10), ..LIMITS };
        assert_eq!(run(&pool, limits, work).await.unwrap(), None);
        let limits = TimeLimits { wait: Duration::from_millis(1), ..LIMITS };
        let refused = run(&pool, limits, || true).await;
        assert!(matches!(refused, Err(Refusal::Overloaded)), "not begun is no time-out");
        drop(hung.release);
        assert_eq!(run(&pool, LIMITS, || true).await.unwrap(), Some(true));
    }

    #[tokio::test]
    async fn hung_work_takes_no_thread_of_another_pool() {
        let pool = WorkerPool::new("test", 2);
        let other = WorkerPool::new("other", 1);
        let mut hung = Vec::new();
        for _ in 0..2 {
            let (work, handle) = hang();
            let limits = TimeLimits { run: Duration::from_millis(1), ..LIMITS };
            assert_eq!(run(&pool, limits, work).await.unwrap(), None);
            hung.push(handle);
        }
        assert_eq!(run(&other, LIMITS, || 1).await.unwrap(), Some(1));
        assert_eq!(tokio::task::spawn_blocking(|| 1).await.unwrap(), 1);
    }

    #[tokio::test]
    async fn panicking_work_frees_its_thread() {
        let pool = WorkerPool::new("test", 1);
        let panic = run(&pool, LIMITS, || std::panic::resume_unwind(Box::new(()))).await;
        assert!(matches!(panic, Err::<Option<()>, _>(Refusal::Internal(_))));
        assert_eq!(run(&pool, LIMITS, || 1).await.unwrap(), Some(1));
    }
}
