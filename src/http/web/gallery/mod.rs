//! The Gallery Pass over HTTP: its page and its forms.

mod desk;
mod entry;
mod own;
mod posted;

pub use desk::page;
pub use entry::{link, lost, sign_in, sign_out, use_link, welcome};
pub use own::{checkout, key, name, portal};
