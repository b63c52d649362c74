//! The rules of the game as pure functions: no I/O, no clock, no randomness.

pub mod budget;
pub mod charges;
pub mod credits;
pub mod digest;
pub mod grid;
pub mod ids;
pub mod lockout;
pub mod measures;
pub mod mentions;
pub mod message;
pub mod milestones;
pub mod names;
pub mod next_steps;
pub mod palette;
pub mod pass;
pub mod passwords;
pub mod reports;
pub mod rights;
pub mod season;
pub mod strike;
#[cfg(test)]
mod text_passes_tests;
