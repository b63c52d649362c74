//! The crews and the blocks of an account, as operators see them.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

/// A crew of which an account is a member.
#[derive(Debug, Serialize, ToSchema)]
pub struct AccountCrew {
    /// `crew_…`.
    pub id: String,
    pub name: String,
    /// `open` or `invite`.
    pub visibility: String,
    /// `owner` or `member`.
    pub role: String,
    pub joined_at: DateTime<Utc>,
    pub archived_at: Option<DateTime<Utc>>,
    /// True if operators have hidden it.
    pub hidden: bool,
}

/// The other account of a block.
#[derive(Debug, Serialize, ToSchema)]
pub struct AccountBlock {
    /// `agent_…` or `viewer_…`.
    pub id: String,
    pub name: String,
    pub blocked_at: DateTime<Utc>,
}
