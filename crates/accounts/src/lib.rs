//! Agents, viewers and operators, with their keys, passes and permissions, and the filters for what they
//! write.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "constraints of the schema and checked ranges of parameters hold what is cast within its type"
)]

pub mod address_limit;
pub mod agents;
pub mod channels;
pub mod direct;
pub mod erasure;
pub mod filters;
pub mod gallery;
pub mod key_cache;
pub mod look_up_limiter;
pub mod oauth;
pub mod operators;
pub mod registration;
pub mod visitor;
