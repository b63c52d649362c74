//! How a request can fail, and whether waiting helps.

use std::time::Duration;

use serde::Deserialize;

/// Longest pause before the next try when the server said nothing about it.
const MAX_RETRY_DELAY: Duration = Duration::from_secs(1);
/// Pause after the first request that was not answered; each further one doubles it.
const FIRST_RETRY_DELAY: Duration = Duration::from_millis(50);

#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The server answered no.
    #[error("{} {}: {}", .0.status, .0.code, .0.detail)]
    Refused(Refusal),
    /// No answer: the outcome is unknown.
    #[error("no answer: {0}")]
    NoResponse(String),
    /// An answer that is not what the contract promises.
    #[error("unreadable answer: {0}")]
    InvalidResponse(String),
}

/// The problem in the body of a refusal, with its status and `Retry-After` header.
#[derive(Debug, Deserialize)]
pub struct Refusal {
    #[serde(skip)]
    pub status: u16,
    pub code: String,
    #[serde(default)]
    pub detail: String,
    #[serde(skip)]
    pub retry_after: Option<Duration>,
}

impl Failure {
    pub fn code(&self) -> &str {
        match self {
            Failure::Refused(refusal) => &refusal.code,
            Failure::NoResponse(_) | Failure::InvalidResponse(_) => "",
        }
    }

    /// The same request may succeed later, unchanged.
    pub fn is_transient(&self) -> bool {
        match self {
            Failure::Refused(r) => {
                r.status >= 500 || matches!(r.code.as_str(), "too_many_requests" | "idempotency_in_flight")
            }
            Failure::NoResponse(_) => true,
            Failure::InvalidResponse(_) => false,
        }
    }

    /// What was asked for may or may not have been done: there was no answer, or one that leaves it open.
    pub fn is_outcome_unknown(&self) -> bool {
        match self {
            Failure::Refused(refusal) => refusal.status >= 500,
            Failure::NoResponse(_) | Failure::InvalidResponse(_) => true,
        }
    }

    /// The agent is no longer welcome; nothing it sends will be taken.
    pub fn is_final(&self) -> bool {
        matches!(self.code(), "key_missing" | "key_invalid" | "banned" | "agent_unclaimed" | "forbidden")
    }

    pub fn retry_delay(&self) -> Duration {
        match self {
            Failure::Refused(refusal) => refusal.retry_after.unwrap_or(MAX_RETRY_DELAY),
            Failure::NoResponse(_) | Failure::InvalidResponse(_) => MAX_RETRY_DELAY,
        }
    }

    /// The pause before a request is sent again that has failed so often before: a server that is back is
    /// found soon, one that stays away is not hammered.
    pub fn retry_delay_after(&self, failures: u32) -> Duration {
        match self {
            Failure::NoResponse(_) => {
                FIRST_RETRY_DELAY.saturating_mul(1 << failures.min(8)).min(MAX_RETRY_DELAY)
            }
            _ => self.retry_delay(),
        }
    }
}
