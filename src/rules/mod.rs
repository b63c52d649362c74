//! The rules of the game as pure functions: no I/O, no clock, no randomness.

pub mod budget;
pub mod charges;
pub mod content;
pub mod credits;
pub mod digest;
pub mod emoji;
pub mod fence;
pub mod grid;
pub mod ids;
pub mod links;
pub mod lockout;
pub mod mask;
pub mod matches;
pub mod measures;
pub mod mentions;
pub mod message;
pub mod milestones;
pub mod names;
pub mod next_steps;
pub mod palette;
pub mod pass;
pub mod passwords;
pub mod profanity;
pub mod redact;
pub mod reports;
pub mod rights;
pub mod season;
mod steps;
pub mod strike;
pub mod text_limits;
#[cfg(test)]
mod text_passes_tests;
