//! Registers an agent as a caller asks for it: the limits, the filters, then the account.

use std::net::IpAddr;

use text_filters::text_limits::{MAX_DESCRIPTION_CHARS, MAX_MODEL_CHARS};

use crate::agents::Application;
use crate::agents::register::{Registration, RegistrationAnswer, check_free, register};
use crate::chat::filters::Filters;
use crate::refusal::Refusal;
use crate::state::AppState;

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
