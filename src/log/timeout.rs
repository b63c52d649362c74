//! The time limit of each step of a write.

use std::time::Duration;

/// How long each step of a transaction may take before its writes are refused.
pub(super) const STEP_TIMEOUT: Duration = Duration::from_secs(5);

/// Runs a step with the time limit: a database that does not answer is as good as none.
pub(super) async fn in_time<T>(work: impl Future<Output = Result<T, sqlx::Error>>) -> Result<T, sqlx::Error> {
    tokio::time::timeout(STEP_TIMEOUT, work).await.unwrap_or(Err(sqlx::Error::PoolTimedOut))
}
