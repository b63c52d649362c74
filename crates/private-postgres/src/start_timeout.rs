//! Time limits of a start, and the message for a slow one.

use std::pin::pin;
use std::time::Duration;

use tokio::time::timeout;

/// Maximum time for recovery after a crash.
pub(super) const START_TIMEOUT: Duration = Duration::from_mins(5);
/// Time after which a step is announced to the operator.
const ANNOUNCE_AFTER: Duration = Duration::from_secs(3);

/// Completes the step, and calls `announce` once if it takes longer than [`ANNOUNCE_AFTER`].
pub(super) async fn announce_if_slow<T>(step: impl Future<Output = T>, announce: impl FnOnce()) -> T {
    let mut step = pin!(step);
    if let Ok(result) = timeout(ANNOUNCE_AFTER, step.as_mut()).await {
        return result;
    }
    announce();
    step.await
}
