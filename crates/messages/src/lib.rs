//! Public messages as the log has them: their part of a batch, the newest of them in memory with their
//! digests, and what shadow-banned accounts see otherwise than everyone else. The chat's rules and its pages
//! are in `talk`; this stands beneath accounts and canvas, because both show messages, and placements need a
//! digest.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "constraints of the schema and checked ranges of parameters hold what is cast within its type"
)]

pub mod batch;
mod changes;
pub mod chat;
pub mod check;
pub mod digest_check;
pub mod edits;
pub mod erased;
pub mod known;
pub mod live_intents;
pub mod own_messages;
pub mod part;
mod reactions;
pub mod reads;
mod reload;
pub mod shadow;
mod store;
pub mod system_message;
pub mod visibility;

pub use reload::ReloadChat;
pub use store::{EarlierText, MESSAGE_EVENTS, MessageRange, OwnPublicMessage, shadow_messages_among};
