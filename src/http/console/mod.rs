//! `/admin`: the operator's console, pages that need no script. One file per room.

mod frame;
pub mod keys;
mod overview;
mod sign_in;

pub use overview::overview;
pub use sign_in::{leave, page as sign_in, submit};
