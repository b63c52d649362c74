//! How a request can fail, and whether waiting helps.

use std::{fmt, time::Duration};

/// Pause before the next try when the server said nothing about it.
const PAUSE: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub enum Failure {
    /// The server answered no.
    Refused(Refusal),
    /// No answer: the outcome is unknown.
    Lost(String),
    /// An answer that is not what the contract promises.
    Garbled(String),
}

#[derive(Debug)]
pub struct Refusal {
    pub status: u16,
    pub code: String,
    pub detail: String,
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
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Refused(r) => write!(f, "{} {}: {}", r.status, r.code, r.detail),
            Failure::Lost(why) => write!(f, "no answer: {why}"),
            Failure::Garbled(why) => write!(f, "unreadable answer: {why}"),
        }
    }
}

impl std::error::Error for Failure {}
