//! `/api/admin`: JSON handlers of the operators' API, one file per noun. The console shares their request types.

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
