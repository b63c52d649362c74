//! `/admin`: the operators' console. Its pages need no script; one adds keys. One file per page.

pub mod accounts;
pub mod agents;
pub mod appeals;
pub mod audit;
pub mod audit_changes;
mod bulk;
pub mod clients;
pub mod crews;
mod decide_form;
pub mod decisions;
pub mod drafts;
mod drawing;
mod evidence;
mod form;
pub mod keys;
mod layout;
pub mod messages;
mod overview;
pub mod passes;
pub mod plans;
mod refusal;
pub mod reports;
pub mod rollbacks;
mod search;
pub mod seasons;
pub mod settings;
mod sign_in;
pub mod webhooks;
mod wording;

pub use drawing::find_swatch;
pub use layout::PAGE_HEADERS;
pub use overview::overview;
pub use refusal::render_refusal;
pub use sign_in::{page as sign_in, sign_out, submit};
