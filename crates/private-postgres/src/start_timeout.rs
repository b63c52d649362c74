//! How long a start may take, and the announcement of a slow one.

use std::pin::pin;
use std::time::Duration;

use tokio::time::timeout;

/// How long recovery after a crash may take.
pub(super) const START_TIMEOUT: Duration = Duration::from_mins(5);
/// How long a step may take before it is announced to the operator.
const ANNOUNCE_AFTER: Duration = Duration::from_secs(3);

/// Completes the step, and calls `announce` once if the step takes longer than [`QUIET`].
pub(super) async fn announce_if_slow<T>(step: impl Future<Output = T>, announce: impl FnOnce()) -> T {
    let mut step = pin!(step);
    if let Ok(result) = timeout(ANNOUNCE_AFTER, step.as_mut()).await {
        return result;
    }
    announce();
    step.await
}
