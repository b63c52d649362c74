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

/// The newest messages.
#[derive(Clone, Default)]
pub struct VisibleMessages {
    /// Oldest first.
    retained: VecDeque<RetainedMessage>,
    /// The number of messages that were ever posted.
    posted_count: u64,
}

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
                self.posted_count += 1;
                self.retained.push_back(RetainedMessage { id: id.clone(), hidden: false });
                if self.retained.len() > MAX_RETAINED_MESSAGES {
                    self.retained.pop_front();
                }
            }
            ChatChange::Hidden(id) => self.set_hidden(id, true),
            ChatChange::Restored(id) => self.set_hidden(id, false),
            ChatChange::Cleared => self.retained.clear(),
        }
    }

    /// Returns the ids of the newest visible messages, at most as many as a digest covers, oldest first.
    pub fn visible(&self) -> Vec<&str> {
        let newest = self.retained.iter().rev().filter(|one| !one.hidden).map(|one| one.id.as_str());
        let mut ids: Vec<&str> = newest.take(MAX_COVERED_MESSAGES).collect();
        ids.reverse();
        ids
    }

    /// Returns the number of messages that were ever posted.
    pub fn posted_count(&self) -> u64 {
        self.posted_count
    }

    /// Returns the number of visible messages after the first `posted_count` ones, at most `max`.
    pub fn count_visible_since(&self, posted_count: u64, max: usize) -> usize {
        let newer = usize::try_from(self.posted_count.saturating_sub(posted_count)).unwrap_or(usize::MAX);
        self.retained.iter().rev().take(newer).filter(|one| !one.hidden).take(max).count()
    }

    fn set_hidden(&mut self, id: &str, hidden: bool) {
        if let Some(message) = self.retained.iter_mut().rev().find(|one| one.id == id) {
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
        assert_eq!((heard.retained.len(), heard.retained[0].id.as_str()), (MAX_RETAINED_MESSAGES, "1"));
        assert_eq!(heard.count_visible_since(0, usize::MAX), MAX_RETAINED_MESSAGES);
    }

    #[test]
    fn only_a_posted_change_has_a_posted_id() {
        assert_eq!(ChatChange::Posted("msg_a".into()).posted_id(), Some("msg_a"));
        assert_eq!(ChatChange::Hidden("msg_a".into()).posted_id(), None);
    }
}
