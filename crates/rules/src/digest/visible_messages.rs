//! The newest messages of a chat and which of them are hidden, as far as digests depend on them.

use std::collections::VecDeque;

use super::MAX_COVERED_MESSAGES;

/// Number of the newest messages that are retained, hidden ones included.
pub const MAX_RETAINED_MESSAGES: usize = 10_000;

/// A change of the messages that a chat shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChatChange {
    /// The message with this id was posted.
    Posted(String),
    /// The message with this id was hidden.
    Hidden(String),
    /// The message with this id was restored.
    Restored(String),
    /// A new season's chat begins.
    Cleared,
}

impl ChatChange {
    /// Returns the id of the posted message; `None` for other changes.
    pub fn posted_id(&self) -> Option<&str> {
        match self {
            Self::Posted(id) => Some(id),
            _ => None,
        }
    }
}

/// The newest messages, oldest first.
#[derive(Clone, Default)]
pub struct VisibleMessages(VecDeque<RetainedMessage>);

#[derive(Clone)]
struct RetainedMessage {
    id: String,
    hidden: bool,
}

impl VisibleMessages {
    /// Applies a change. Changes of messages that are no longer retained are ignored.
    pub fn apply(&mut self, change: &ChatChange) {
        match change {
            ChatChange::Posted(id) => {
                self.0.push_back(RetainedMessage { id: id.clone(), hidden: false });
                if self.0.len() > MAX_RETAINED_MESSAGES {
                    self.0.pop_front();
                }
            }
            ChatChange::Hidden(id) => self.set_hidden(id, true),
            ChatChange::Restored(id) => self.set_hidden(id, false),
            ChatChange::Cleared => self.0.clear(),
        }
    }

    /// Returns the ids of the newest visible messages, at most as many as a digest covers, oldest first.
    pub fn visible(&self) -> Vec<&str> {
        let newest = self.0.iter().rev().filter(|one| !one.hidden).map(|one| one.id.as_str());
        let mut ids: Vec<&str> = newest.take(MAX_COVERED_MESSAGES).collect();
        ids.reverse();
        ids
    }

    fn set_hidden(&mut self, id: &str, hidden: bool) {
        if let Some(message) = self.0.iter_mut().rev().find(|one| one.id == id) {
            message.hidden = hidden;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_beyond_the_newest_ten_thousand_is_forgotten() {
        let mut heard = VisibleMessages::default();
        for number in 0..=MAX_RETAINED_MESSAGES {
            heard.apply(&ChatChange::Posted(number.to_string()));
        }
        assert_eq!((heard.0.len(), heard.0[0].id.as_str()), (MAX_RETAINED_MESSAGES, "1"));
    }

    #[test]
    fn only_a_posted_change_has_a_posted_id() {
        assert_eq!(ChatChange::Posted("msg_a".into()).posted_id(), Some("msg_a"));
        assert_eq!(ChatChange::Hidden("msg_a".into()).posted_id(), None);
    }
}
