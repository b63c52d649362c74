//! Consents: a person lets a client act as an agent, and the client gets a code for it.

use super::{CODE_LIFETIME, CODE_PREFIX, store};
use crate::agents::extra_keys::refuse_extra_key;
use crate::log::key_cache::Agent;
use crate::refusal::Refusal;
use crate::state::AppState;
use crate::tokens::hash;

/// A request of a client to act as an agent. It has been checked.
pub struct Consent<'a> {
    /// The client's id.
    pub client: &'a str,
    pub redirect_uri: &'a str,
    /// The PKCE challenge of the method `S256`.
    pub code_challenge: &'a str,
}

/// Lets a client act as an agent, and returns the code for it.
///
/// # Errors
/// Returns `RegistrationKeyRequired` for an extra key, because tokens have all rights; or the error of the database.
pub async fn grant_code(state: &AppState, agent: &Agent, consent: &Consent<'_>) -> Result<String, Refusal> {
    refuse_extra_key(agent)?;
    let code = format!("{CODE_PREFIX}{}", state.tokens.oauth.issue()?);
    let now = state.clock.now();
    store::insert_grant(&state.pool, agent, consent, &hash(&code), now, now + CODE_LIFETIME).await?;
    Ok(code)
}
