//! The chat: saying, reacting and reading. Nothing here decides anything on the canvas.

pub mod address_limit;
pub mod filters;
pub mod new_message;
pub mod plans;
pub mod proof;
pub mod react;
pub mod read;
pub mod say;
pub mod shadow;
mod store;
pub mod story;
pub mod unread;

use chrono::{DateTime, Utc};
use rules::grid::Rect;

/// An intent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The message's number.
    pub seq: i64,
    /// Whose it is, by number.
    pub agent: i64,
    /// Where, if it says so.
    pub region: Option<Rect>,
    pub at: DateTime<Utc>,
}
