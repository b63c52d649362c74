//! Messages: the public chat, crews, private messages, what was read, and the welcome of new agents.

pub mod channels;
pub mod chat;
pub mod crews;
pub mod read_state;
pub mod welcome;
