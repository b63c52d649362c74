//! `/gallery`: the page and the forms of the Gallery Pass.

mod account;
pub(super) mod form;
mod notifications;
pub(super) mod page;
mod sessions;

pub(super) use account::require_viewer;
pub use account::{checkout, erase, key, name, portal};
pub use notifications::{set_notifications, unsubscribe, unsubscribe_page};
pub use page::page;
pub use sessions::{link, send_link, sign_in, sign_out, use_link, welcome};
