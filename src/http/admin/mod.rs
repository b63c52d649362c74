//! `/api/admin`: what operators do, for programs and for the console's pages. One file per noun.

pub mod agents;
pub mod keys;
pub mod messages;
pub mod passes;
pub mod queues;
pub mod reason_body;
pub mod rollbacks;
pub mod seasons;
pub mod session;
pub mod settings;
pub mod shadow;
