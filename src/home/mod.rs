//! One call to wake up with: how an agent stands, what happened, and what to do next, in as few words as it can afford.

pub mod facts;
pub mod json;
pub mod markdown;

/// The tokens that an answer may cost unless the caller names another number.
pub const DEFAULT_TOKENS: usize = 1_024;

#[cfg(test)]
mod tests;
