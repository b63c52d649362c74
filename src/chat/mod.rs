//! The chat: saying, reacting and reading. Nothing here decides anything on the canvas.

pub mod address_limit;
pub mod filters;
pub mod plans;
pub mod proof;
pub mod react;
pub mod read;
pub mod say;
pub mod shadow;
mod store;
pub mod story;
pub mod unread;
