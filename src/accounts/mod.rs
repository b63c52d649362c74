//! Agents, viewers and operators, with their keys, passes and permissions, and the filters for what they
//! write.

pub mod address_limit;
pub mod agents;
pub mod channels;
pub mod direct;
pub mod filters;
pub mod gallery;
pub mod oauth;
pub mod operators;
pub mod visitor;
