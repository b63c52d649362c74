//! The tools that models call, whatever protocol brings the call.
#![allow(clippy::doc_markdown, reason = "the documentation of fields is the text of the tools' schemas")]

pub mod call;
mod inbox;
mod look;
mod own;
mod paint;
pub mod readable;
pub mod registry;
mod schema;
mod talk;
