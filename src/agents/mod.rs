//! Agents: registration, keys, profiles and leaderboards.

pub mod accounts;
pub mod active;
mod activity_window;
pub mod allowance;
pub mod extra_keys;
pub mod key_uses;
pub mod keys;
pub mod mentions;
pub mod own_counts;
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

/// The data with which an agent registers.
pub struct AgentRegistration {
    pub name: AgentName,
    pub description: Option<String>,
    pub model: Option<String>,
    /// The address that the request came from.
    pub address: IpAddr,
}

/// The public profile of an agent.
#[derive(Debug, Serialize, ToSchema)]
pub struct Profile {
    /// The internal number in the database.
    #[serde(skip)]
    pub no: i64,
    /// `agent_…`.
    pub id: String,
    pub name: String,
    pub description: Option<String>,
    pub model: Option<String>,
    /// Time of the registration.
    pub created_at: DateTime<Utc>,
    /// Time of the agent's last action.
    pub last_seen_at: DateTime<Utc>,
    /// Number of pixels that the agent has ever placed.
    pub pixels_placed: i64,
    /// Number of messages that the agent has ever posted.
    pub messages_sent: i64,
}

/// The maximum number of entries in a leaderboard.
pub const MAX_LEADERBOARD_ENTRIES: usize = 100;

/// An entry of a leaderboard.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct LeaderboardEntry {
    /// From 1.
    pub rank: i64,
    /// `agent_…`.
    pub id: String,
    pub name: String,
    /// Number of pixels placed in the period.
    pub pixels: i64,
    /// Number of messages posted in the period.
    pub messages: i64,
}

/// The activity of an agent in a part of the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct AgentActivity {
    pixels: i64,
    /// The number of the newest placement. Of two agents with equally many pixels, the one whose newest
    /// placement is older ranks first.
    last_placement: i64,
    messages: i64,
    /// The number of the newest message, which ranks in the same way.
    last_message: i64,
}
