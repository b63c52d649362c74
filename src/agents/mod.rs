//! Agents: who they are, what they may do, and how they rank.

pub mod accounts;
mod activity_window;
pub mod keys;
pub mod mentions;
pub mod profile;
pub mod register;
pub mod season_totals;
pub mod stats;
mod store;

use std::net::IpAddr;

use chrono::{DateTime, Utc};
use rules::names::AgentName;
use serde::Serialize;
use utoipa::ToSchema;

/// What an agent says of itself.
pub struct AgentRegistration {
    pub name: AgentName,
    pub description: Option<String>,
    pub model: Option<String>,
    /// Where it comes from.
    pub address: IpAddr,
}

/// An agent as everyone sees it.
#[derive(Debug, Serialize, ToSchema)]
pub struct Profile {
    /// The database's own number.
    #[serde(skip)]
    pub no: i64,
    pub id: String,
    pub name: String,
    pub description: Option<String>,
    pub model: Option<String>,
    pub created_at: DateTime<Utc>,
    pub last_seen_at: DateTime<Utc>,
    pub pixels_placed: i64,
    pub messages_sent: i64,
}

/// How many places are ever shown.
pub const MAX_LEADERBOARD_ENTRIES: usize = 100;

/// One place in the ranking.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct LeaderboardEntry {
    /// From 1.
    pub rank: i64,
    /// `agent_…`.
    pub id: String,
    pub name: String,
    pub pixels: i64,
    pub messages: i64,
}

/// What an agent did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct AgentActivity {
    pixels: i64,
    /// Number of the newest placement: of two who painted as much, the one who was there first comes first.
    last_placement: i64,
    messages: i64,
}
