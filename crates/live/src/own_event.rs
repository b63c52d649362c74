//! The events that only one account receives: those of a shadow-banned author, in its own streams.

use bytes::Bytes;
use chrono::{DateTime, Utc};
use rules::numbers::AccountNo;

use super::event::Event;

/// An event that only its author receives, under the number of the public event before it.
#[derive(Clone, Debug)]
pub struct OwnEvent {
    /// Increases with each own event.
    pub no: i64,
    /// The author's number.
    pub author: AccountNo,
    pub at: DateTime<Utc>,
    pub event: Event,
}

impl OwnEvent {
    /// Returns the frame. Its id is the number, so a client that resumes there receives the own events with
    /// that number again. Without an id, the client resumes after the event that it received before.
    pub fn frame(&self, has_id: bool) -> Bytes {
        let Some((name, data)) = self.event.name_and_data() else { return Bytes::new() };
        let id = if has_id { format!("id: {}\n", self.event.seq()) } else { String::new() };
        format!("event: {name}\n{id}data: {data}\n\n").into()
    }
}
