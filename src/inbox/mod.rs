//! What concerns an agent: who speaks to it, who paints over its work, who plans to. A reading of what is there; nothing
//! hangs on it.

pub mod clusters;
pub mod item;
mod overlap;
pub mod read;
mod store;
