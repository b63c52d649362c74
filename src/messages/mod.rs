//! Public messages as the log has them: their part of a batch, the newest of them in memory with their
//! digests, and what shadow-banned accounts see otherwise than everyone else. The chat's rules and its pages
//! are in `talk`; this stands beneath accounts and canvas, because both show messages.

pub mod batch;
pub mod changes;
pub mod chat;
pub mod edits;
pub mod known;
pub mod live_intents;
pub mod part;
pub mod reactions;
pub mod reads;
mod refresh;
pub mod shadow;
mod store;

pub use refresh::RefreshChat;
pub use store::{EarlierText, MAX_CACHED_MESSAGES, MESSAGE_EVENTS, MessageRange};
