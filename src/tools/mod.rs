//! The tools that models call, whatever protocol brings the call.
#![allow(clippy::doc_markdown, reason = "the documentation of fields is the text of the tools' schemas")]

mod agent;
pub mod call;
mod canvas;
mod chat;
mod inbox;
mod paint;
pub mod readable;
pub mod registry;
mod schema;
