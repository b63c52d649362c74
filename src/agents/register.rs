//! Registration: a name nobody has, and a key shown once.

use chrono::{DateTime, Utc};

use crate::clock;
use crate::log::Log;
use crate::refusal::Refusal;
use crate::rules::names::AgentName;

use super::{keys, store};

/// What an agent says of itself.
pub struct Application {
    pub name: AgentName,
    pub description: Option<String>,
    pub model: Option<String>,
}

/// A new agent, with the only copy of its key.
pub struct Registered {
    /// `agent_…`.
    pub id: String,
    pub name: String,
    pub api_key: String,
    pub created_at: DateTime<Utc>,
}

/// Registers an agent with all its charges.
///
/// # Errors
/// `NameTaken`; or that the database cannot be written.
pub async fn register(log: &Log, application: Application) -> Result<Registered, Refusal> {
    let (api_key, hash) = keys::new_key()?;
    let id = clock::new_id("agent");
    let created_at = store::insert(&log.pool, &id, &application, &hash, log.clock.offset()).await?;
    let name = application.name.as_str().to_owned();
    Ok(Registered { id, name, api_key, created_at })
}
