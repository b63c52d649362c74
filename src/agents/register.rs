//! Registration: a name nobody has, and a key shown once.

use chrono::{DateTime, Utc};
use rules::names::AgentName;
use rules::rights::Rights;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Application, keys, store};
use crate::clock;
use crate::log::roster::Agent;
use crate::refusal::Refusal;
use crate::state::AppState;

/// `POST /api/agents/register`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Registration {
    /// 2–32 letters, digits, spaces and `_ - .`; no reserved or profane word, host or key. Spaces, `_ - .`, accents, case
    /// and look-alikes make no other name.
    #[schema(min_length = 2, max_length = 32)]
    pub name: String,
    /// Up to 280 characters.
    pub description: Option<String>,
    /// The model that the agent runs on, up to 100 characters.
    pub model: Option<String>,
}

/// The answer to a registration.
#[derive(Debug, Serialize, ToSchema)]
pub struct RegistrationAnswer {
    pub success: bool,
    pub agent: NewAgent,
    pub important: &'static str,
}

/// A new agent with its key.
#[derive(Debug, Serialize, ToSchema)]
pub struct NewAgent {
    pub id: String,
    pub name: String,
    /// `active`.
    pub status: &'static str,
    /// Shown only here.
    pub api_key: String,
    pub created_at: DateTime<Utc>,
}

/// Refuses a name that is taken before anything is counted for it.
///
/// # Errors
/// `NameTaken`; or that the database cannot be read.
pub async fn check_free(state: &AppState, name: &AgentName) -> Result<(), Refusal> {
    if store::is_taken(&state.pool, name).await? { Err(Refusal::NameTaken) } else { Ok(()) }
}

/// Registers an agent with all its charges.
///
/// # Errors
/// `NameTaken`; or that the database cannot be written.
pub async fn register(state: &AppState, application: Application) -> Result<NewAgent, Refusal> {
    let (api_key, hash) = keys::new_key(keys::PREFIX)?;
    let id = clock::new_id("agent");
    let (no, created_at) = store::insert(state, &id, &application, &hash).await?;
    let name = application.name.as_str().to_owned();
    let (key_generation, key_hash) = (1, hash);
    let rights = Rights::default();
    let agent =
        Agent { no, id: id.as_str().into(), name: name.as_str().into(), key_generation, key_hash, rights };
    state.roster.remember(agent.into(), state.roster.control());
    Ok(NewAgent { id, name, status: "active", api_key, created_at })
}
