//! The part that public and private messages have in common: checking and paying for new ones, changing and
//! deleting.

pub mod delete;
pub mod draft;
pub mod edit;
pub mod erase;
mod own_message;
pub(crate) mod pay;
