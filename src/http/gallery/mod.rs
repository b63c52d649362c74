//! The Gallery Pass over HTTP: its page and forms, Stripe's webhook, and what viewers ask about themselves.

mod cookies;
mod desk;
mod entry;
mod me;
mod own;
mod posted;
mod webhook;

pub use cookies::Cookies;
pub use desk::page;
pub use entry::{link, lost, sign_in, sign_out, use_link, welcome};
pub use me::{NewName, me, rename};
pub use own::{checkout, key, name, portal};
pub use webhook::webhook;
