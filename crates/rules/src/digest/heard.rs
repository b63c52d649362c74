//! What a chat shows, as far as digests need it: the newest messages, and which of them are hidden.

use std::collections::VecDeque;

use super::COVERED;

/// Among how many of the newest messages the visible ones are looked for.
pub const KEPT: usize = 10_000;

/// A change of what a chat shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Turn {
    /// A message with this id was said…
    Said(String),
    /// …taken down…
    Hidden(String),
    /// …or brought back.
    Restored(String),
    /// A new season's chat begins.
    Cleared,
}

impl Turn {
    /// The message that was said, if that is what happened.
    pub fn said(&self) -> Option<&str> {
        match self {
            Self::Said(id) => Some(id),
            _ => None,
        }
    }
}

/// The newest messages.
#[derive(Clone, Default)]
pub struct Heard(VecDeque<One>);

#[derive(Clone)]
struct One {
    id: String,
    hidden: bool,
}

impl Heard {
    /// Folds a change in; what happens to a message that is too old to be known changes nothing.
    pub fn take(&mut self, turn: &Turn) {
        match turn {
            Turn::Said(id) => {
                self.0.push_back(One { id: id.clone(), hidden: false });
                if self.0.len() > KEPT {
                    self.0.pop_front();
                }
            }
            Turn::Hidden(id) => self.mark(id, true),
            Turn::Restored(id) => self.mark(id, false),
            Turn::Cleared => self.0.clear(),
        }
    }

    /// The newest visible messages, as many as a digest covers, oldest first.
    pub fn visible(&self) -> Vec<&str> {
        let newest = self.0.iter().rev().filter(|one| !one.hidden).map(|one| one.id.as_str());
        let mut ids: Vec<&str> = newest.take(COVERED).collect();
        ids.reverse();
        ids
    }

    fn mark(&mut self, id: &str, hidden: bool) {
        if let Some(found) = self.0.iter_mut().rev().find(|one| one.id == id) {
            found.hidden = hidden;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_beyond_the_newest_ten_thousand_is_forgotten() {
        let mut heard = Heard::default();
        for number in 0..=KEPT {
            heard.take(&Turn::Said(number.to_string()));
        }
        assert_eq!((heard.0.len(), heard.0[0].id.as_str()), (KEPT, "1"));
    }

    #[test]
    fn only_a_posted_change_has_a_posted_id() {
        assert_eq!(Turn::Said("msg_a".into()).said(), Some("msg_a"));
        assert_eq!(Turn::Hidden("msg_a".into()).said(), None);
    }
}
