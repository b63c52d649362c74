//! Registers agents: reserves a unique name and issues a key that is shown once.

use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use chrono::{DateTime, Utc};
use platform::refusal::{AccountRefusal, Refusal};
use platform::{clock, database};
use rules::names::AgentName;
use rules::rights::Rights;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{AgentRegistration, keys, store};
use crate::key_cache::KeyCache;
use crate::registration::admission::Admission;

/// Request body of `POST /api/agents/register`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RegisterBody {
    /// 2–32 letters, digits, spaces and `_ - .`. Reserved and profane words, host names and keys are refused.
    /// Names that differ only in spaces, `_ - .`, accents, case or look-alike letters count as the same.
    #[schema(min_length = 2, max_length = 32)]
    pub name: String,
    /// Up to 280 characters.
    pub description: Option<String>,
    /// The model, up to 100 characters.
    pub model: Option<String>,
    /// If the server asks for one.
    pub invitation_code: Option<String>,
}

/// Response to a registration.
#[derive(Debug, Serialize, ToSchema)]
pub struct RegisterResponse {
    pub success: bool,
    pub agent: NewAgent,
    /// Reminder to save the API key.
    pub important: &'static str,
}

/// A new agent with its key.
#[derive(Debug, Serialize, ToSchema)]
pub struct NewAgent {
    /// `agent_…`.
    pub id: String,
    pub name: String,
    /// `active`; or `waiting`, if it can only read until an operator approves it.
    pub status: &'static str,
    /// The API key. It is shown only here.
    pub api_key: String,
    pub created_at: DateTime<Utc>,
}

/// Refuses a name that is taken, before the registration counts against a limit.
///
/// # Errors
/// Returns `NameTaken`.
pub async fn check_name_free(state: &AppState, name: &AgentName) -> Result<(), Refusal> {
    if store::is_taken(state, name).await? { Err(AccountRefusal::NameTaken.into()) } else { Ok(()) }
}

/// Registers an agent with all its charges. `count_registration` counts it against the address's limit, after it
/// is admitted.
///
/// # Errors
/// The refusals of the admission and of `count_registration`, or `NameTaken`.
pub async fn register_agent(
    state: &AppState,
    registration: AgentRegistration,
    admission: &Admission,
    count_registration: impl FnOnce() -> Result<(), Refusal>,
) -> Result<NewAgent, Refusal> {
    let (api_key, hash) = keys::new_key(keys::AGENT_KEY_PREFIX)?;
    let id = clock::new_id("agent");
    let awaits_approval = admission.awaits_approval();
    let mut transaction = state.pool.begin().await?;
    admission.admit(state, &mut transaction, registration.address).await?;
    count_registration()?;
    let (no, created_at) =
        store::insert(state, &mut transaction, &id, &registration, &hash, awaits_approval).await?;
    database::commit(transaction).await?;
    let name = registration.name.as_str().to_owned();
    let agent = Identity {
        no,
        id: id.as_str().into(),
        name: name.as_str().into(),
        key_generation: 1,
        key_hash: hash,
        extra_key: None,
        rights: Rights { awaits_approval, ..Rights::default() },
        has_own_view: false,
    };
    let key_cache = KeyCache::of(state);
    key_cache.insert(agent.into(), key_cache.control_head());
    let status = if awaits_approval { "waiting" } else { "active" };
    Ok(NewAgent { id, name, status, api_key, created_at })
}
