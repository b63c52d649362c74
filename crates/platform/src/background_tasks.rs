//! Tasks that run beside the requests, until the server stops.

use std::pin::Pin;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::sleep;

/// The interval between deletions of expired rows.
pub const CLEANUP_INTERVAL: Duration = Duration::from_mins(10);

/// The time between the starts of two tasks. Tasks that began at the same moment would each open a connection
/// to the database.
const START_INTERVAL: Duration = Duration::from_millis(10);

/// Background tasks that stop when they are dropped.
#[derive(Default)]
pub struct BackgroundTasks(JoinSet<()>);

impl BackgroundTasks {
    /// Starts one more task.
    pub fn spawn(&mut self, task: impl Future<Output = ()> + Send + 'static) {
        // Boxed, so that the code of the runtime is compiled once, not for each task.
        self.0.spawn(Box::pin(task) as Pin<Box<dyn Future<Output = ()> + Send>>);
    }

    /// Starts one more task, which reads the database, a moment after the task before.
    pub fn spawn_in_turn(&mut self, task: impl Future<Output = ()> + Send + 'static) {
        let delay = START_INTERVAL.saturating_mul(u32::try_from(self.0.len()).unwrap_or(u32::MAX));
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
