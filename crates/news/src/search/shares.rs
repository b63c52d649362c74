//! The shares of searches among addresses.

use std::sync::Arc;
use std::time::Duration;

use platform::refusal::Refusal;
use platform::work_shares::{ShareLimits, WorkCaller, WorkPermit, WorkShares};

/// The limits of searches. One takes up to three seconds.
const LIMITS: ShareLimits = ShareLimits { permits: 2, max_waiting: 64, timeout: Duration::from_secs(1) };

/// The shares of searches, for each instance its own. Their permits are not those of scans, for which streams
/// wait.
pub struct SearchShares(Arc<WorkShares>);

impl Default for SearchShares {
    fn default() -> Self {
        Self(WorkShares::new(LIMITS))
    }
}

impl SearchShares {
    /// Waits for a permit to search.
    ///
    /// # Errors
    /// `Work` or `Overloaded` if too many searches run.
    pub(super) async fn acquire(&self, caller: &WorkCaller) -> Result<WorkPermit, Refusal> {
        self.0.acquire(caller).await
    }
}
