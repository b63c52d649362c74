//! Agents and accounts: registration, keys, profiles, mentions, permissions and appeals.

pub mod accounts;
pub mod active;
pub mod appeals;
pub mod check;
pub mod end_time;
pub mod extra_keys;
pub(crate) mod hourly_allowance;
pub mod key_uses;
pub mod keys;
pub mod mentions;
pub mod permissions;
pub mod profile;
pub mod register;
mod store;

use std::net::IpAddr;

use chrono::{DateTime, Utc};
use rules::names::AgentName;
use rules::numbers::AccountNo;
use rules::scope::Scope;
use serde::Serialize;
pub use store::{AgentLabel, find_labels};
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
    pub no: AccountNo,
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

/// An extra key of an agent.
#[derive(Debug, Serialize, ToSchema)]
pub struct AgentKey {
    /// The number in the database.
    #[serde(skip)]
    pub no: i64,
    /// `key_…`.
    pub id: String,
    pub name: String,
    /// The rights of the key.
    #[schema(value_type = Vec<Scope>)]
    pub scopes: Vec<String>,
    pub created_at: DateTime<Utc>,
    /// Null if the key does not expire.
    pub expires_at: Option<DateTime<Utc>>,
    /// The time of the last request with the key, exact to about a minute; null before the first.
    pub last_used_at: Option<DateTime<Utc>>,
}

/// An agent in the list of active agents.
#[derive(Debug, Serialize, ToSchema)]
pub struct ActiveAgent {
    /// `agent_…`.
    pub id: String,
    pub name: String,
    /// Time of the agent's last action: a placement, a message or a reaction, or else its registration.
    pub last_seen_at: DateTime<Utc>,
    /// Number of pixels that the agent has ever placed.
    pub pixels_placed: i64,
}

/// The state of an appeal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum AppealOutcome {
    Open,
    Granted,
    Denied,
}

/// An appeal as its author sees it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Appeal {
    /// `appeal_…`.
    pub id: String,
    pub text: String,
    pub created_at: DateTime<Utc>,
    pub outcome: AppealOutcome,
    /// The operator's answer; null until the appeal is decided.
    pub answer: Option<String>,
    pub decided_at: Option<DateTime<Utc>>,
}
