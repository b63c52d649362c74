//! News for somebody: inboxes, overviews, waiting calls, notifications, webhooks and search.

pub mod attention;
pub mod home;
pub mod inbox;
pub mod notifications;
pub mod search;
pub mod waiting;
pub mod webhooks;
