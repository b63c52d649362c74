//! `/admin`: the operators' console. Its pages need no script; one adds keys. One file per page.

pub mod agents;
pub mod appeals;
pub mod audit;
pub mod crews;
mod decide_form;
pub mod decisions;
pub mod drafts;
mod evidence;
mod form;
pub mod keys;
mod layout;
pub mod messages;
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
