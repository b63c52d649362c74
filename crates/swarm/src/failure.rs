//! How a request can fail, and whether waiting helps.

use std::time::Duration;

use serde::Deserialize;

/// Longest pause before the next try when the server said nothing about it.
const PAUSE: Duration = Duration::from_secs(1);
/// Pause after the first request that was not answered; each further one doubles it.
const FIRST_PAUSE: Duration = Duration::from_millis(50);

#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The server answered no.
    #[error("{} {}: {}", .0.status, .0.code, .0.detail)]
    Refused(Refusal),
    /// No answer: the outcome is unknown.
    #[error("no answer: {0}")]
    Lost(String),
    /// An answer that is not what the contract promises.
    #[error("unreadable answer: {0}")]
    Garbled(String),
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
            Failure::Lost(_) | Failure::Garbled(_) => "",
        }
    }

    /// The same request may succeed later, unchanged.
    pub fn is_passing(&self) -> bool {
        match self {
            Failure::Refused(r) => {
                r.status >= 500 || matches!(r.code.as_str(), "too_many_requests" | "idempotency_in_flight")
            }
            Failure::Lost(_) => true,
            Failure::Garbled(_) => false,
        }
    }

    /// What was asked for may or may not have been done: there was no answer, or one that leaves it open.
    pub fn is_unknown(&self) -> bool {
        match self {
            Failure::Refused(refusal) => refusal.status >= 500,
            Failure::Lost(_) | Failure::Garbled(_) => true,
        }
    }

    /// The agent is no longer welcome; nothing it sends will be taken.
    pub fn is_final(&self) -> bool {
        matches!(self.code(), "key_missing" | "key_invalid" | "banned" | "agent_unclaimed" | "forbidden")
    }

    pub fn wait(&self) -> Duration {
        match self {
            Failure::Refused(refusal) => refusal.retry_after.unwrap_or(PAUSE),
            Failure::Lost(_) | Failure::Garbled(_) => PAUSE,
        }
    }

    /// The pause before a request is sent again that has failed so often before: a server that is back is
    /// found soon, one that stays away is not hammered.
    pub fn wait_after(&self, failures: u32) -> Duration {
        match self {
            Failure::Lost(_) => FIRST_PAUSE.saturating_mul(1 << failures.min(8)).min(PAUSE),
            _ => self.wait(),
        }
    }
}
