//! Failures of requests, and whether to retry.

use std::time::Duration;

use serde::Deserialize;

/// Longest pause before a retry without a `Retry-After` header.
const MAX_RETRY_DELAY: Duration = Duration::from_secs(1);
/// Pause after the first request without a response; each further one doubles it.
const FIRST_RETRY_DELAY: Duration = Duration::from_millis(50);

/// The failure of a request.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The server refused the request.
    #[error("{} {}: {}", .0.status, .0.code, .0.detail)]
    Refused(Refusal),
    /// There was no response, so the outcome is unknown.
    #[error("no response: {0}")]
    NoResponse(String),
    /// The response does not match the API contract.
    #[error("unreadable response: {0}")]
    InvalidResponse(String),
}

/// The problem document of a refusal, with its status and `Retry-After` header.
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
    /// Returns the error code; empty if there was no refusal.
    pub fn code(&self) -> &str {
        match self {
            Failure::Refused(refusal) => &refusal.code,
            Failure::NoResponse(_) | Failure::InvalidResponse(_) => "",
        }
    }

    /// Returns true if the same request may succeed later.
    pub fn is_transient(&self) -> bool {
        match self {
            Failure::Refused(r) => {
                r.status >= 500 || matches!(r.code.as_str(), "too_many_requests" | "idempotency_in_flight")
            }
            Failure::NoResponse(_) => true,
            Failure::InvalidResponse(_) => false,
        }
    }

    /// Returns true if the same request may succeed with another name.
    pub fn is_name_refused(&self) -> bool {
        matches!(self.code(), "name_taken" | "name_not_allowed")
    }

    /// Returns true if the request may or may not have been carried out.
    pub fn is_outcome_unknown(&self) -> bool {
        match self {
            Failure::Refused(refusal) => refusal.status >= 500,
            Failure::NoResponse(_) | Failure::InvalidResponse(_) => true,
        }
    }

    /// Returns true if the agent's later requests will be refused, too.
    pub fn is_final(&self) -> bool {
        matches!(self.code(), "key_missing" | "key_invalid" | "banned" | "agent_unclaimed" | "forbidden")
    }

    /// Returns the pause before a retry, as sent by the server or the default.
    pub fn retry_delay(&self) -> Duration {
        match self {
            Failure::Refused(refusal) => refusal.retry_after.unwrap_or(MAX_RETRY_DELAY),
            Failure::NoResponse(_) | Failure::InvalidResponse(_) => MAX_RETRY_DELAY,
        }
    }

    /// Returns the pause before a retry after this number of failures. It grows, so that a restarted server
    /// is found soon and an unreachable one is not flooded.
    pub fn retry_delay_after(&self, failures: u32) -> Duration {
        match self {
            Failure::NoResponse(_) => {
                FIRST_RETRY_DELAY.saturating_mul(1 << failures.min(8)).min(MAX_RETRY_DELAY)
            }
            _ => self.retry_delay(),
        }
    }
}
