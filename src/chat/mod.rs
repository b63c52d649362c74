//! The chat: saying, reacting and reading. Nothing here decides anything on the canvas.

pub mod address_limit;
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

/// An intent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Intent {
    /// The message's number.
    pub seq: i64,
    /// Whose it is, by number.
    pub agent: i64,
    /// Where, if it says so.
    pub region: Option<Rect>,
    pub at: DateTime<Utc>,
}
