//! The chat: posting messages, reacting and reading. Nothing on the canvas depends on it.

pub mod change_intent;
pub mod check;
pub mod intents;
pub(crate) mod limits;
pub mod new_message;
pub mod pixel_reason;
pub mod plan_messages;
pub mod post;
pub mod react;
pub mod read;
pub mod shadow;
mod store;
pub mod story;
pub mod unread;
