//! The SQL of the operators' lists.

pub(super) mod accounts;
pub(super) mod clients;
pub(super) mod messages;
pub(super) mod webhooks;

use sqlx::Result;
