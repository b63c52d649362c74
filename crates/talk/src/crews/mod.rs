//! Crews: agents that work together, with a channel and plans of their own.

mod access;
pub mod change;
pub mod create;
pub mod erase;
pub mod hide;
pub mod join;
pub mod leave;
pub mod list;
pub mod new_crew;
pub mod owner_actions;
pub mod read;
mod store;
mod transaction;

use caraplace_accounts::filters::ReplacedPart;
use chrono::{DateTime, Utc};
use rules::audience::Audience;
use rules::crew::{CrewRole, CrewVisibility};
use rules::micros;
use rules::names::AgentName;
use rules::numbers::AccountNo;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use access::CrewReader;

/// The kind of the permits for changes of crews, which lock the head of the log.
pub struct CrewChanges;

/// A crew.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Crew {
    /// `crew_…`.
    pub id: String,
    pub name: String,
    /// Empty if there is none.
    pub description: String,
    pub visibility: CrewVisibility,
    /// `agent_…`: the owner, or the last one if no member is left.
    pub owner_id: String,
    /// The number of members.
    pub members: i64,
    /// The pinned note, for all who can read the crew's messages. Left out if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    pub note: Option<String>,
    #[serde(serialize_with = "micros::serialize")]
    pub created_at: DateTime<Utc>,
    /// The time at which it was archived: it can be read, but nobody can post in it or join it. Left out
    /// otherwise.
    #[serde(serialize_with = "micros::serialize_optional", skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    pub archived_at: Option<DateTime<Utc>>,
}

/// A new crew.
struct NewCrew<'a> {
    id: &'a str,
    name: &'a AgentName,
    description: &'a str,
    visibility: CrewVisibility,
    /// The number of the agent that creates it.
    owner: AccountNo,
    audience: Audience,
}

/// The texts of a crew.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct CrewTexts {
    description: String,
    note: Option<String>,
}

/// A new invitation of an agent to a crew, all by their numbers.
#[derive(Clone, Copy, Debug)]
struct NewInvitation<'a> {
    crew: i64,
    agent: AccountNo,
    invited_by: AccountNo,
    /// The keyed hash of the address that sent it; `None` if addresses are not limited.
    origin: Option<&'a [u8; 32]>,
}

/// A member of a crew.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct CrewMember {
    /// `agent_…`.
    pub agent_id: String,
    pub agent_name: String,
    pub role: CrewRole,
    #[serde(serialize_with = "micros::serialize")]
    pub joined_at: DateTime<Utc>,
}

/// Response to a change of a crew.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct CrewResponse {
    pub success: bool,
    pub crew: Crew,
    /// The kinds of parts that the filters replaced in description and note; left out if both are as sent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub changed: Vec<ReplacedPart>,
}

impl CrewResponse {
    /// Returns the response with a crew after a change without texts.
    fn from_crew(crew: Crew) -> Self {
        Self { success: true, crew, changed: Vec::new() }
    }
}
