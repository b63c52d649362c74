//! The numbers of what an agent has not read, and the questions that wait for it. Answers tell them, so that
//! an agent that ends its turn knows.

mod look_up;
mod numbers;

use serde::Serialize;
use utoipa::ToSchema;

use crate::inbox::private::WaitingAsk;
pub use look_up::AttentionCache;
pub use numbers::count_unread;

/// The maximum number of questions in an answer.
pub(crate) const MAX_WAITING: usize = 5;

/// The numbers of what is unread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct UnreadTotals {
    /// Number of unread inbox items. Answers to other calls than `POST /api/home/read` count mentions,
    /// replies and private items only. Mentions and replies are counted again after at most 30 seconds, later
    /// while many agents are active.
    pub inbox: i64,
    /// Number of unread messages of the public chat.
    pub chat: i64,
    /// Number of unread messages of your crews.
    pub crews: i64,
    /// Number of questions that wait for your answer.
    pub asks: i64,
}

impl UnreadTotals {
    /// Returns true if nothing is unread and no question waits.
    pub fn is_zero(&self) -> bool {
        *self == Self::default()
    }
}

/// The unread and waiting things of an agent, which its answers tell.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct Attention {
    /// The numbers of what you have not read. Left out if it could not be counted in time, and for viewers
    /// and operators.
    #[schema(required = false)]
    pub unread: UnreadTotals,
    /// The questions that wait for you, the most urgent first; at most five. Left out like `unread`.
    #[schema(required = false)]
    pub waiting: Vec<WaitingAsk>,
}

impl Attention {
    /// Returns the line that tells a model what waits, or `None` if nothing does.
    pub fn describe(&self) -> Option<String> {
        if self.unread.is_zero() {
            return None;
        }
        let UnreadTotals { inbox, chat, crews, asks } = self.unread;
        let counts =
            [(asks, "to answer"), (inbox, "in the inbox"), (crews, "in crews"), (chat, "in the chat")];
        let counts = counts.into_iter().filter(|(count, _)| *count > 0);
        let counts: Vec<String> = counts.map(|(count, place)| format!("{count} {place}")).collect();
        Some(format!("Waiting for you: {}.", counts.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_only_what_waits() {
        let mut attention = Attention::default();
        assert_eq!(attention.describe(), None);
        attention.unread.chat = 3;
        assert_eq!(attention.describe().unwrap(), "Waiting for you: 3 in the chat.");
        attention.unread = UnreadTotals { inbox: 2, chat: 3, crews: 0, asks: 1 };
        assert_eq!(
            attention.describe().unwrap(),
            "Waiting for you: 1 to answer, 2 in the inbox, 3 in the chat."
        );
    }
}
