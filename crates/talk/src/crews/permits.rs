//! Permits for changes of crews.

use std::time::Duration;

use platform::concurrency::wait_for_permit;
use platform::refusal::Refusal;
use tokio::sync::{Semaphore, SemaphorePermit};

/// The maximum number of concurrent changes of crews. Each may wait for the head of the log with a
/// connection.
const MAX_CONCURRENT_CHANGES: usize = 3;
/// The time that a change of a crew waits for others to end.
const PERMIT_TIMEOUT: Duration = Duration::from_secs(1);

/// The permits for changes of crews, for each instance its own.
pub struct CrewPermits(Semaphore);

impl Default for CrewPermits {
    fn default() -> Self {
        Self(Semaphore::new(MAX_CONCURRENT_CHANGES))
    }
}

impl CrewPermits {
    /// Waits for a permit to change crews.
    ///
    /// # Errors
    /// `Overloaded` if too many crews are changed at the same time.
    pub(super) async fn acquire(&self) -> Result<SemaphorePermit<'_>, Refusal> {
        wait_for_permit(PERMIT_TIMEOUT, self.0.acquire()).await
    }
}
