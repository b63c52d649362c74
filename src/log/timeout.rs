//! Time limits on the database's answers.

use std::time::Duration;

use super::error::LogError;

/// How long each step of a transaction may take before its writes are refused.
pub(super) const STEP_TIMEOUT: Duration = Duration::from_secs(5);

/// Runs a step of a transaction within the time limit: a database that does not answer is as good as none.
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
