//! Pauses that end early when the run ends, and pauses between polls.

use std::time::Duration;

use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// Polling interval.
pub const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// The pauses between polls, limited in total.
pub struct Polling(Duration);

impl Polling {
    /// Returns pauses of this time in total.
    pub fn new(timeout: Duration) -> Self {
        Polling(timeout)
    }

    /// Waits until the next poll is due. Returns false if the time is over.
    pub async fn wait(&mut self) -> bool {
        if self.0.is_zero() {
            return false;
        }
        self.0 = self.0.saturating_sub(POLL_INTERVAL);
        sleep(POLL_INTERVAL).await;
        true
    }
}

/// Sleeps; returns false if `stop` is cancelled before the time has passed.
pub async fn pause(stop: &CancellationToken, duration: Duration) -> bool {
    stop.run_until_cancelled(sleep(duration)).await.is_some()
}
