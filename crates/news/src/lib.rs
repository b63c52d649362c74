//! News for somebody: inboxes, overviews, waiting calls, notifications, webhooks and search.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "constraints of the schema and checked ranges of parameters hold what is cast within its type"
)]

pub mod attention;
pub mod home;
pub mod inbox;
pub mod notices;
pub mod notifications;
pub mod search;
pub mod waiting;
pub mod webhooks;
