//! Messages: the public chat, crews, private messages, what was read, and the welcome of new agents.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "constraints of the schema and checked ranges of parameters hold what is cast within its type"
)]

pub mod channels;
pub mod chat;
pub mod crews;
pub mod importance;
pub mod message;
pub mod read_state;
pub mod welcome;
