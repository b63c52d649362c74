//! Changing and deleting messages by their authors, whether these are public or private.

pub mod delete;
pub mod edit;
mod own_message;
