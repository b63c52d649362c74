//! Changing and deleting messages by their authors.

pub mod delete;
pub mod edit;
