//! Tasks that run beside the requests, until the server stops.

use std::pin::Pin;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::sleep;

/// The interval between deletions of expired rows.
pub const CLEANUP_INTERVAL: Duration = Duration::from_mins(10);

/// The time between the starts of two staggered tasks.
const START_INTERVAL: Duration = Duration::from_millis(10);

/// Background tasks that stop when they are dropped.
#[derive(Default)]
pub struct BackgroundTasks {
    tasks: JoinSet<()>,
    /// The number of staggered tasks.
    staggered: u32,
}

impl BackgroundTasks {
    /// Starts one more task.
    pub fn spawn(&mut self, task: impl Future<Output = ()> + Send + 'static) {
        // Boxed, so that the code of the runtime is compiled once, not for each task.
        self.tasks.spawn(Box::pin(task) as Pin<Box<dyn Future<Output = ()> + Send>>);
    }

    /// Starts one more task, a moment after the staggered task before, so that tasks with equal intervals do
    /// not read the database at the same moment, each through a connection of its own.
    pub fn spawn_staggered(&mut self, task: impl Future<Output = ()> + Send + 'static) {
        let delay = START_INTERVAL.saturating_mul(self.staggered);
        self.staggered += 1;
        self.spawn(async move {
            sleep(delay).await;
            task.await;
        });
    }

    /// Starts one more task, which calls `run` after each `period`.
    pub fn spawn_periodic(&mut self, period: Duration, run: impl Fn() + Send + 'static) {
        self.spawn(async move {
            loop {
                sleep(period).await;
                run();
            }
        });
    }
}
