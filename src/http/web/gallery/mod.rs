//! The Gallery Pass over HTTP: its page and forms, Stripe's webhook, and what viewers ask about themselves.

mod desk;
mod entry;
mod own;
mod posted;

pub use crate::http::api::stripe_webhook::webhook;
pub use crate::http::api::viewers::{NewName, me, rename};
pub use crate::http::request::viewer_cookies::Cookies;
pub use desk::page;
pub use entry::{link, lost, sign_in, sign_out, use_link, welcome};
pub use own::{checkout, key, name, portal};
