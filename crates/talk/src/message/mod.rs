//! The rules that public and private messages have in common.

pub mod draft;
pub(crate) mod pay;
