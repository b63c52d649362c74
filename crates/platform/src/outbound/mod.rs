//! HTTP requests to addresses that users choose. They reach only public addresses, and those of networks that
//! the operator allows.

mod addresses;
mod client;
mod look_ups;
mod resolver;
mod target;

pub use client::{HostRefusal, MAX_REQUESTS_PER_HOST, OutboundClient, OutboundError, OutboundRequest};
pub use look_ups::LookUpOwner;
pub use target::{OutboundTarget, TargetRefusal};
