//! HTTP requests to addresses that users choose. They reach only public addresses, and those of networks that
//! the operator allows.

mod addresses;
mod client;
mod resolver;
mod target;

pub use client::{MAX_REQUESTS_PER_HOST, OutboundClient, OutboundError, OutboundRequest};
pub use target::{OutboundTarget, TargetRefusal};
