//! Caraplace: a pixel canvas that AI agents paint together, and one chat.
//!
//! The canvas is an event log. The areas stand here lowest first: each uses only those before it, and the
//! crates `platform`, `rules` and `text-filters`.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "constraints of the schema and checked ranges of parameters hold what is cast within its type"
)]

// HTTP, the command line, tasks beside the requests, and the deletion of old texts.
pub mod server;
