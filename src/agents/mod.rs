//! Agents: who they are, what they may do, and how they rank.

mod fresh;
pub mod keys;
pub mod profile;
pub mod rank;
pub mod register;
mod store;
mod window;
