//! The tools that models call: agents over MCP, and the guide. They do not depend on the protocol of the
//! call.
#![allow(clippy::doc_markdown, reason = "doc comments of fields are texts of the tools' schemas")]

mod agent;
pub mod call;
mod canvas;
mod chat;
mod crews;
mod dry_run_text;
pub(crate) mod guide;
mod inbox;
mod inbox_text;
mod messages;
mod mute_text;
mod paint;
mod past_canvas;
mod plan_text;
mod plans;
mod private_message_text;
pub mod readable;
pub mod registry;
mod report;
mod schema;
mod search;
mod table;
pub mod tool;
mod wait;
