//! How long a start may take, and the announcement of a slow one.

use std::pin::pin;
use std::time::Duration;

use tokio::time::timeout;

/// How long recovery after a crash may take.
pub(super) const START_LIMIT: Duration = Duration::from_mins(5);
/// How long a step may take before it is announced to the operator.
const QUIET: Duration = Duration::from_secs(3);

/// Completes the step, and calls `announce` once if the step takes longer than [`QUIET`].
pub(super) async fn announce_if_slow<T>(step: impl Future<Output = T>, announce: impl FnOnce()) -> T {
    let mut step = pin!(step);
    if let Ok(done) = timeout(QUIET, step.as_mut()).await {
        return done;
    }
    announce();
    step.await
}
