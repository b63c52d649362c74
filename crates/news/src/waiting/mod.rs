//! Calls that wait until something holds for an agent, so that it need not poll.

mod condition;
pub mod wait;

use caraplace_live::waits::WaitInterest;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::attention::UnreadTotals;

/// The maximum time that a call waits, in seconds.
pub(crate) const MAX_WAIT_SECONDS: i64 = 50;

/// The condition that ends a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum WaitCondition {
    /// Enough charges are back.
    Charges,
    /// A message or an inbox item is unread.
    News,
    /// A mention, a reply or a direct message is unread, or a question waits.
    Ask,
}

impl WaitCondition {
    /// Returns the events that may fulfil the condition.
    fn interest(self) -> WaitInterest {
        match self {
            Self::Charges => WaitInterest::Time,
            Self::News => WaitInterest::News,
            Self::Ask => WaitInterest::Addressed,
        }
    }
}

/// The reason why a wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum WaitEnd {
    /// The condition holds.
    Met,
    /// The time is over.
    Timeout,
    /// The server restarts, or the agent has a new key or other rights.
    Ended,
}

/// The result of a wait.
#[derive(Debug, Serialize)]
pub struct WaitResult {
    pub until: WaitCondition,
    pub end: WaitEnd,
    #[serde(flatten)]
    pub facts: WaitFacts,
    /// The call to make next.
    pub next: String,
}

/// The facts that a condition is about; those of other conditions are absent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum WaitFacts {
    Charges {
        charges: i64,
        max_charges: i64,
        /// The time at which enough charges are back; null if they are.
        enough_at: Option<DateTime<Utc>>,
    },
    News {
        unread: UnreadTotals,
        /// The time at which a question of the agent expires, which is news; `None` if none waits.
        #[serde(skip)]
        next_ask_end: Option<DateTime<Utc>>,
    },
    Ask {
        /// The number of unread mentions, replies and direct messages, and of questions that wait.
        asks: i64,
    },
}
