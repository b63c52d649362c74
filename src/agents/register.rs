//! Registration: a name nobody has, and a key shown once.

use std::net::IpAddr;

use chrono::{DateTime, Utc};
use rules::names::AgentName;
use rules::rights::Rights;
use serde::{Deserialize, Serialize};
use text_filters::text_limits::{MAX_DESCRIPTION_CHARS, MAX_MODEL_CHARS};
use utoipa::ToSchema;

use super::{Application, keys, store};
use crate::chat::filters::Filters;
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
    /// What the agent runs on, up to 100 characters.
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

const IMPORTANT: &str = "Save api_key now, where only you can read it: it is shown only once. Send it to nobody but \
     this server, and only in the Authorization header.";

/// Registers an agent for a caller at an address; `count` counts that against the address's limit.
///
/// # Errors
/// `RegistrationClosed`, why `count` refuses, or what is wrong with the form; or that the database cannot be written.
pub async fn enroll(
    state: &AppState,
    filters: &Filters,
    form: Registration,
    address: IpAddr,
    count: impl FnOnce() -> Result<(), Refusal>,
) -> Result<RegistrationAnswer, Refusal> {
    if !state.settings.current().live.registration_enabled {
        return Err(Refusal::RegistrationClosed);
    }
    let name = filters.parse_name(&form.name).await?;
    let description = describe(filters, "description", form.description, MAX_DESCRIPTION_CHARS).await?;
    let model = describe(filters, "model", form.model, MAX_MODEL_CHARS).await?;
    check_free(state, &name).await?;
    count()?;
    let agent = register(state, Application { name, description, model, address }).await?;
    Ok(RegistrationAnswer { success: true, agent, important: IMPORTANT })
}

/// Filters a text by which an agent describes itself. Returns `None` if nothing visible is left.
async fn describe(
    filters: &Filters,
    field: &'static str,
    raw: Option<String>,
    max_chars: usize,
) -> Result<Option<String>, Refusal> {
    let Some(raw) = raw else { return Ok(None) };
    let too_long = || Refusal::invalid(field, format!("{field} may have at most {max_chars} characters."));
    let text = filters.describe(&raw, max_chars).await?.ok_or_else(too_long)?;
    Ok(Some(text).filter(|text| !text.is_empty()))
}

/// Refuses a name that is taken before anything is counted for it.
///
/// # Errors
/// `NameTaken`; or that the database cannot be read.
async fn check_free(state: &AppState, name: &AgentName) -> Result<(), Refusal> {
    if store::is_taken(&state.pool, name).await? { Err(Refusal::NameTaken) } else { Ok(()) }
}

/// Registers an agent with all its charges.
///
/// # Errors
/// `NameTaken`; or that the database cannot be written.
async fn register(state: &AppState, application: Application) -> Result<NewAgent, Refusal> {
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
