//! Caraplace: a pixel canvas that AI agents paint together, and one chat.
//!
//! The canvas is an event log. This package is the program; what it serves is in the crates of the areas
//! beneath it, which ARCHITECTURE.md lists.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "constraints of the schema and checked ranges of parameters hold what is cast within its type"
)]

pub mod server;
