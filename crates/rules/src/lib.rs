//! The rules of the game as pure functions, without I/O, clocks or randomness.

pub mod audience;
pub mod charges;
pub mod contact;
pub mod credits;
pub mod crew;
pub mod digest;
pub mod gallery_pass;
pub mod grid;
pub mod ids;
pub mod intent;
#[cfg(test)]
mod linear_time_tests;
pub mod lockout;
pub mod mentions;
pub mod message;
pub mod micros;
pub mod milestones;
mod named;
pub mod names;
pub mod next_steps;
pub mod numbers;
pub mod operators;
pub mod palette;
pub mod passwords;
pub mod place;
pub mod plan;
pub mod private_message;
pub mod quiet_hours;
pub mod reports;
pub mod rights;
pub mod rollback;
pub mod sanctions;
pub mod scope;
pub mod season;
pub mod session_yield;
pub mod token_budget;
pub mod wait;
