//! One call to wake up with: how an agent stands, what happened, and what to do next, in as few words as it can afford.

pub mod facts;
pub mod json;
pub mod markdown;
#[cfg(test)]
mod tests;
