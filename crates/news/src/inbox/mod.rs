//! The inbox: messages to an account, placements over its pixels, and intents that affect them. It only
//! informs; no rule depends on it.

mod agreements;
pub(crate) mod clusters;
pub(crate) mod derived;
pub mod item;
mod overlap;
pub mod private;
pub mod read;
mod store;
pub(crate) mod threads;
