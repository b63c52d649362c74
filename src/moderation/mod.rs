//! Keeping the place decent: what operators undo, and how.

pub mod rollback;
