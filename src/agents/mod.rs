//! Agents: who they are, what they may do, and how they rank.

pub mod ended;
pub mod holder;
pub mod keys;
pub mod mentions;
pub mod profile;
pub mod rank;
pub mod register;
mod store;
mod window;

use std::net::IpAddr;

use chrono::{DateTime, Utc};
use rules::names::AgentName;
use serde::Serialize;
use utoipa::ToSchema;

/// What an agent says of itself.
pub struct Application {
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
pub const LONGEST: usize = 100;

/// One place in the ranking.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Rank {
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
struct Done {
    pixels: i64,
    /// Number of the newest placement: of two who painted as much, the one who was there first comes first.
    latest: i64,
    messages: i64,
}
