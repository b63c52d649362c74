//! The errors of reading, following and writing the log.

use platform::database;
use platform::refusal::{Refusal, internal};
use platform::telemetry::METRICS;
use rules::numbers::Seq;

/// An error of the log: a database error, or a contradiction between the database and this instance.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// A database error.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
    /// The database did not answer within the time limit.
    #[error("the database did not answer in time")]
    Timeout,
    /// Events are missing before a committed head.
    #[error("the log has a gap after event {reached}; its head is {head}")]
    Gap { reached: Seq, head: Seq },
    /// The stored log is shorter than the applied one, as after the restore of a backup.
    #[error("the log ends at {found}, but went to {known}: restart this server")]
    HeadWentBack { found: Seq, known: Seq },
    /// The head moved although it was locked.
    #[error("the locked head was not where it was read")]
    HeadMoved,
    /// The projection has not reached the locked head.
    #[error("the projection is not at the locked head of the log")]
    ProjectionBehind,
    /// The stored secret has the wrong length.
    #[error("the digest secret does not have 32 bytes")]
    InvalidSecret,
}

impl LogError {
    /// Counts the error by its kind, among those of the database.
    pub(super) fn count_in_metrics(&self) {
        match self {
            Self::Database(error) => METRICS.database.record_error(error),
            Self::Timeout => METRICS.database.no_connection.inc(),
            _ => METRICS.database.other.inc(),
        }
    }

    /// Counts and logs the error. An outage of the database is logged once by the follower, not by every
    /// request.
    pub(super) fn report(&self, failure: &str) {
        if let Self::Database(error) = self {
            return database::report(error, failure);
        }
        self.count_in_metrics();
        match self {
            Self::Timeout => tracing::debug!(error = %self, "{failure}"),
            _ => tracing::warn!(error = %self, "{failure}"),
        }
    }
}

impl From<LogError> for Refusal {
    fn from(error: LogError) -> Self {
        match error {
            LogError::Database(error) => error.into(),
            LogError::Timeout => {
                error.report("the log did not answer");
                Self::Unavailable
            }
            _ => {
                error.count_in_metrics();
                internal("reading the log")(error)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timeout_is_unavailable_and_gap_is_internal() {
        assert!(matches!(LogError::Timeout.into(), Refusal::Unavailable));
        assert!(matches!(LogError::from(sqlx::Error::PoolTimedOut).into(), Refusal::Unavailable));
        let gap = LogError::Gap { reached: Seq(3), head: Seq(5) };
        assert!(matches!(gap.into(), Refusal::Internal(error) if error.chain().ends_with("its head is 5")));
    }
}
