//! Permits for claims of pixels.

use std::time::Duration;

use platform::concurrency::wait_for_permit;
use platform::refusal::Refusal;
use tokio::sync::{Semaphore, SemaphorePermit};

/// The maximum number of concurrent claims. Each may wait for others with a connection.
const MAX_CONCURRENT_CLAIMS: usize = 3;
/// The time that a claim waits for others to end.
const PERMIT_TIMEOUT: Duration = Duration::from_secs(1);

/// The permits for claims, for each instance its own.
pub struct ClaimPermits(Semaphore);

impl Default for ClaimPermits {
    fn default() -> Self {
        Self(Semaphore::new(MAX_CONCURRENT_CLAIMS))
    }
}

impl ClaimPermits {
    /// Waits for a permit to claim pixels of a plan.
    ///
    /// # Errors
    /// `Overloaded` if too many agents claim at the same time.
    pub(super) async fn acquire(&self) -> Result<SemaphorePermit<'_>, Refusal> {
        wait_for_permit(PERMIT_TIMEOUT, self.0.acquire()).await
    }
}
