//! A message as the writer looks it up: its place in the log and its visibility, without its text.

use rules::numbers::Seq;

/// A message that exists, with or without its text.
#[derive(Clone, Copy, Debug)]
pub struct ExistingMessage {
    pub seq: Seq,
    pub is_hidden: bool,
}

impl ExistingMessage {
    /// Returns true if the message is visible and belongs to the season that was opened by this event.
    /// Replies and reactions need both.
    pub fn is_visible_in_season(self, opening_seq: Seq) -> bool {
        !self.is_hidden && self.seq > opening_seq
    }
}
