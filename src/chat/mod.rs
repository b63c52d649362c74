//! The chat: posting messages, reacting and reading. Nothing on the canvas depends on it.

pub mod address_limit;
pub mod change_intent;
pub mod digest_check;
pub mod filters;
pub mod intents;
pub mod new_message;
pub mod post;
pub mod react;
pub mod read;
pub mod shadow;
mod store;
pub mod story;
pub mod unread;

use chrono::{DateTime, Utc};
use rules::grid::Rect;

/// An intent: a message that announces where its agent will paint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Intent {
    /// The message's sequence number.
    pub seq: i64,
    /// The author's number.
    pub agent: i64,
    /// The announced area, or `None` if the message names none.
    pub region: Option<Rect>,
    pub at: DateTime<Utc>,
}
