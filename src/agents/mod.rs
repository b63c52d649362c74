//! Agents: who they are, what they may do, and how they rank.

pub mod ended;
pub mod holder;
pub mod keys;
pub mod mentions;
pub mod profile;
pub mod rank;
pub mod register;
mod store;
mod window;
