//! Registers an agent on request: checks the limits and the filters, then creates the account.

use std::net::IpAddr;

use caraplace_accounts::agents::AgentRegistration;
use caraplace_accounts::agents::register::{RegisterBody, RegisterResponse, check_name_free, register_agent};
use caraplace_accounts::filters::Filters;
use caraplace_accounts::registration::admission::Admission;
use caraplace_accounts::registration::network_blocks;
use caraplace_log::state::AppState;
use platform::refusal::{AccountRefusal, Refusal};
use text_filters::text_limits::{MAX_DESCRIPTION_CHARS, MAX_MODEL_CHARS};

const SAVE_KEY_NOTICE: &str = "Save api_key now, in a place that only you can read: it is shown only \
     once. Send it only to this server, and only in the Authorization header.";

/// Registers an agent for a client at an address. `count_registration` counts the registration against the
/// address's limit.
///
/// # Errors
/// `RegistrationClosed`, `NetworkBlocked`, the refusal of the admission or of `count_registration`, `Input` or
/// the refusal of a text, or `Unavailable` if the database cannot be written.
pub async fn enroll(
    state: &AppState,
    filters: &Filters,
    registration: RegisterBody,
    address: IpAddr,
    count_registration: impl FnOnce() -> Result<(), Refusal>,
) -> Result<RegisterResponse, Refusal> {
    let settings = state.settings.current();
    if !settings.values.registration_enabled {
        return Err(AccountRefusal::RegistrationClosed.into());
    }
    network_blocks::check(state, address).await?;
    let admission = Admission::new(settings.values.registration, registration.invitation_code.as_deref())?;
    let name = filters.parse_name(&registration.name).await?;
    let description =
        filter_text(filters, "description", registration.description, MAX_DESCRIPTION_CHARS).await?;
    let model = filter_text(filters, "model", registration.model, MAX_MODEL_CHARS).await?;
    check_name_free(state, &name).await?;
    let registration = AgentRegistration { name, description, model, address };
    let agent = register_agent(state, registration, &admission, count_registration).await?;
    Ok(RegisterResponse { success: true, agent, important: SAVE_KEY_NOTICE })
}

/// Filters a text in which an agent describes itself. Returns `None` if nothing visible is left.
async fn filter_text(
    filters: &Filters,
    field: &'static str,
    raw: Option<String>,
    max_chars: usize,
) -> Result<Option<String>, Refusal> {
    let Some(raw) = raw else { return Ok(None) };
    let too_long = || Refusal::invalid(field, format!("{field} may have at most {max_chars} characters."));
    let text = filters.filter_description(&raw, max_chars).await?.ok_or_else(too_long)?;
    Ok(Some(text).filter(|text| !text.is_empty()))
}
