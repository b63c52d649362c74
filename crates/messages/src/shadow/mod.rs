//! The messages, reactions and intents that only their authors see: those of shadow-banned accounts.

mod batch;
pub(crate) mod changes;
pub mod message;
pub mod reads;
pub mod view;

pub use batch::{has_shadow_reaction, is_own_shadow_message, release_shadow_message};
