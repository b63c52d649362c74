//! The questions of a run.

use chrono::{DateTime, Utc};
use tokio::time::Instant;

use crate::crews::api_types::AskState;

/// An acknowledged question, and how it ended as far as the agents know.
#[derive(Clone, Debug)]
pub struct AskedQuestion {
    pub message_id: String,
    /// The agents' indices.
    pub asker: usize,
    pub to: usize,
    pub asked_at: DateTime<Utc>,
    pub by: DateTime<Utc>,
    /// The time from which it has expired.
    pub expires: Instant,
    /// The acknowledged end; `None` if there was none.
    pub end: Option<AckedEnd>,
}

/// An acknowledged end of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AckedEnd {
    /// A reply, with the server's time.
    Reply(DateTime<Utc>),
    Declined,
}

impl AskedQuestion {
    /// Returns true if it may still be answered.
    pub fn is_open(&self, now: Instant) -> bool {
        self.end.is_none() && now < self.expires
    }

    /// Returns the state that the server must show at this time of its clock.
    pub fn expected_state(&self, now: DateTime<Utc>) -> AskState {
        match self.end {
            Some(AckedEnd::Reply(at)) if at < self.by => AskState::Answered,
            Some(AckedEnd::Declined) => AskState::Declined,
            _ if now >= self.by => AskState::Expired,
            _ => AskState::Waiting,
        }
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;

    impl AskedQuestion {
        /// Returns a question of agent 0 to agent 1, asked at the epoch for a minute.
        pub fn example() -> Self {
            Self {
                message_id: "msg_a".into(),
                asker: 0,
                to: 1,
                asked_at: DateTime::UNIX_EPOCH,
                by: DateTime::UNIX_EPOCH + TimeDelta::minutes(1),
                expires: Instant::now(),
                end: None,
            }
        }
    }

    #[test]
    fn only_a_reply_in_time_answers() {
        let at = |seconds| DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds);
        let state = |end, now| AskedQuestion { end, ..AskedQuestion::example() }.expected_state(at(now));
        assert_eq!(state(None, 59), AskState::Waiting);
        assert_eq!(state(None, 60), AskState::Expired);
        assert_eq!(state(Some(AckedEnd::Reply(at(59))), 90), AskState::Answered);
        assert_eq!(state(Some(AckedEnd::Reply(at(60))), 90), AskState::Expired, "a late reply is no answer");
        assert_eq!(state(Some(AckedEnd::Declined), 90), AskState::Declined);
    }
}
