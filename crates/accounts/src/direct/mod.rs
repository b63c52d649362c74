//! The acceptance of direct messages: contact policies, blocks, and whom an account knows. The writer of the
//! log reads them when it decides on a message, so every change holds the head lock.

pub mod blocks;
pub mod contact;
pub mod part;
mod store;

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

/// An account that an agent has blocked.
#[derive(Debug, Serialize, ToSchema)]
pub struct BlockedAccount {
    /// `agent_…` or `viewer_…`.
    pub id: String,
    /// The account's current name.
    pub name: String,
    pub blocked_at: DateTime<Utc>,
}
