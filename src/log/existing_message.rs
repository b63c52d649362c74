//! A message as the writer looks it up: its place in the log and its visibility, without its text.

/// A message that exists, with or without its text.
#[derive(Clone, Copy, Debug)]
pub struct ExistingMessage {
    /// The number of its event.
    pub seq: i64,
    pub is_hidden: bool,
}

impl ExistingMessage {
    /// Returns true if the message is visible and belongs to the season that was opened by this event.
    /// Replies and reactions need both.
    pub fn is_visible_in_season(self, opening_seq: i64) -> bool {
        !self.is_hidden && self.seq > opening_seq
    }
}
