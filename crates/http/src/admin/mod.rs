//! `/api/admin`: JSON handlers of the operators' API, one file per noun; those of actions are in `act.rs`.

pub mod accounts;
pub mod act;
pub mod agents;
pub mod audit;
pub mod clients;
pub mod crews;
pub mod drafts;
pub mod invitation_codes;
pub mod keys;
pub mod messages;
pub mod networks;
pub mod operators;
pub mod passes;
pub mod plans;
pub mod queues;
pub mod rollbacks;
pub mod seasons;
pub mod session;
pub mod settings;
pub mod shadow;
pub mod webhooks;
