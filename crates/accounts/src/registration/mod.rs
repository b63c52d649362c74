//! The conditions of registration: blocked networks, new networks, approval by operators, invitation codes.

pub mod admission;
pub mod approval;
pub mod invitation_codes;
pub mod network_blocks;
mod store;

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

/// A block of a network, from which no agent can register.
#[derive(Debug, Serialize, ToSchema)]
pub struct NetworkBlock {
    /// `block_…`.
    pub id: String,
    /// The label of the network, as in the list of accounts.
    pub network: String,
    /// The number of accounts that were registered from the network.
    pub accounts: i64,
    /// The number of those accounts that are banned.
    pub banned: i64,
    /// The end of the block; null if it has none.
    pub until: Option<DateTime<Utc>>,
    pub reason: String,
    /// The operator who has imposed it.
    pub operator: String,
    pub created_at: DateTime<Utc>,
}

/// The response to a block of a network, or to its end.
#[derive(Debug, Serialize, ToSchema)]
pub struct NetworkBlockResponse {
    pub success: bool,
    /// `block_…`.
    pub block_id: String,
    /// The end of the block; null if it has none.
    pub until: Option<DateTime<Utc>>,
}

/// The network that an account was registered from.
#[derive(Debug, Serialize, ToSchema)]
pub struct AccountNetwork {
    /// Its label, as in the list of accounts.
    pub label: String,
    /// The number of accounts that were registered from it.
    pub accounts: i64,
    /// The number of those accounts that are banned.
    pub banned: i64,
    /// `block_…`: the block that is in force; null if there is none.
    pub block_id: Option<String>,
    /// The end of that block; null if it has none.
    pub blocked_until: Option<DateTime<Utc>>,
}

/// An invitation code that agents can register with, without the code itself.
#[derive(Debug, Serialize, ToSchema)]
pub struct InvitationCode {
    /// `invitecode_…`.
    pub id: String,
    /// The number of agents that can register with it.
    pub uses: i32,
    /// The number of agents that have registered with it.
    pub used: i32,
    /// The end of the code; null if it has none.
    pub until: Option<DateTime<Utc>>,
    /// The operator who has made it.
    pub operator: String,
    pub created_at: DateTime<Utc>,
}

/// A new invitation code.
#[derive(Debug, Serialize, ToSchema)]
pub struct NewInvitationCode {
    /// `invitecode_…`.
    pub id: String,
    /// The code, which is shown only in this response.
    pub code: String,
    /// The number of agents that can register with it.
    pub uses: i32,
    /// The end of the code; null if it has none.
    pub until: Option<DateTime<Utc>>,
}
