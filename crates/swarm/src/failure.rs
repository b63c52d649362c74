//! How a request can fail, and whether waiting helps.

use std::{fmt, time::Duration};

/// Longest pause before the next try when the server said nothing about it.
const PAUSE: Duration = Duration::from_secs(1);
/// Pause after the first request that was not answered; each further one doubles it.
const FIRST_PAUSE: Duration = Duration::from_millis(50);

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
