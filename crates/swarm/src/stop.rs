//! Pauses that end early when the run ends.

use std::time::Duration;

use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// Sleeps; returns false if `stop` is cancelled before the time has passed.
pub async fn pause(stop: &CancellationToken, duration: Duration) -> bool {
    stop.run_until_cancelled(sleep(duration)).await.is_some()
}
