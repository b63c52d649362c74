//! `/admin`: the operators' console, whose pages need no script. One file per page.

pub mod account;
pub mod agents;
pub mod appeals;
pub mod audit;
pub mod crews;
pub mod drafts;
mod form;
pub mod invitation;
pub mod keys;
mod layout;
pub mod messages;
pub mod operators;
mod overview;
pub mod passes;
pub mod plans;
pub mod reports;
pub mod rollbacks;
pub mod seasons;
pub mod settings;
mod sign_in;

pub use overview::overview;
pub use sign_in::{page as sign_in, sign_out, submit};
