//! Consents: a person lets a client act as an agent, and the client gets a code for it.

use caraplace_log::control;
use caraplace_log::control_entry::ControlEntry;
use caraplace_log::head_lock::HeadLock;
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use platform::refusal::Refusal;
use platform::tokens::hash;

use super::{CODE_LIFETIME, CODE_PREFIX, Consent, store};
use crate::agents::hourly_allowance::{self, HourlyAction};
use crate::agents::keys::refuse_extra_key;

/// The maximum number of live grants of an agent. The oldest one ends with the consent after it.
const MAX_GRANTS: i64 = 20;

/// Lets a client act as an agent, and returns the code for it.
///
/// # Errors
/// Returns `RegistrationKeyRequired` for an extra key, because tokens have all rights, or `TooManyPerHour`.
pub async fn grant_code(
    state: &AppState,
    agent: &Identity,
    consent: &Consent<'_>,
) -> Result<String, Refusal> {
    refuse_extra_key(agent)?;
    let code = format!("{CODE_PREFIX}{}", state.tokens.oauth.issue()?);
    let now = state.clock.now();
    let mut transaction = state.pool.begin().await?;
    hourly_allowance::count(&mut transaction, agent.no, HourlyAction::Consent, now).await?;
    HeadLock::acquire(&mut transaction, &state.clock).await?;
    let surplus = store::lock_grants_beyond(&mut transaction, agent, MAX_GRANTS - 1, now).await?;
    for grant in &surplus {
        store::revoke_grant(&mut transaction, *grant, now).await?;
    }
    if !surplus.is_empty() {
        let entry = ControlEntry::AccountChanged(agent.no);
        control::append(&mut transaction, entry, state.clock.offset()).await?;
    }
    let expires_at = now + CODE_LIFETIME;
    store::insert_grant(&mut transaction, agent, consent, &hash(&code), now, expires_at).await?;
    state.log.commit(transaction).await?;
    Ok(code)
}
