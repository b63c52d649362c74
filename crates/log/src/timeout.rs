//! Time limits for database operations.

use std::time::Duration;

use super::error::LogError;

/// The time limit of each step of a transaction, after which its commands are refused.
pub(super) const STEP_TIMEOUT: Duration = Duration::from_secs(5);

/// Runs a step of a transaction within the time limit.
pub(super) async fn with_step_timeout<T, E: Into<LogError>>(
    work: impl Future<Output = Result<T, E>>,
) -> Result<T, LogError> {
    with_timeout(STEP_TIMEOUT, work).await
}

/// Runs work within a time limit.
pub(super) async fn with_timeout<T, E: Into<LogError>>(
    limit: Duration,
    work: impl Future<Output = Result<T, E>>,
) -> Result<T, LogError> {
    match tokio::time::timeout(limit, work).await {
        Ok(result) => result.map_err(Into::into),
        Err(_) => Err(LogError::Timeout),
    }
}
