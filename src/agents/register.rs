//! Registration: a name nobody has, and a key shown once.

use chrono::{DateTime, Utc};
use rules::names::AgentName;
use rules::rights::Rights;

use super::{Application, keys, store};
use crate::clock;
use crate::log::roster::Agent;
use crate::refusal::Refusal;
use crate::state::AppState;

/// A new agent, with the only copy of its key.
pub struct Registered {
    /// `agent_…`.
    pub id: String,
    pub name: String,
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
pub async fn register(state: &AppState, application: Application) -> Result<Registered, Refusal> {
    let (api_key, hash) = keys::new_key(keys::PREFIX)?;
    let id = clock::new_id("agent");
    let (no, created_at) = store::insert(state, &id, &application, &hash).await?;
    let name = application.name.as_str().to_owned();
    let (key_generation, key_hash) = (1, hash);
    let rights = Rights::default();
    let agent =
        Agent { no, id: id.as_str().into(), name: name.as_str().into(), key_generation, key_hash, rights };
    state.roster.remember(agent.into(), state.roster.control());
    Ok(Registered { id, name, api_key, created_at })
}
