//! The home response, for an agent that starts or wakes up: its status, the news, and the next steps, within
//! a token budget.

pub mod facts;
pub mod json;
pub mod mark_read;
pub mod markdown;
mod nearby_intents;
mod plans;
mod private;
mod store;

/// The default size limit of a response, in tokens.
pub const DEFAULT_TOKENS: usize = 1_024;

#[cfg(test)]
mod tests;
