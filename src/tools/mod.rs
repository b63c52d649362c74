//! The tools that models call, whatever protocol brings the call.

pub mod call;
mod inbox;
mod look;
mod own;
mod paint;
pub mod readable;
pub mod registry;
mod schema;
mod talk;
