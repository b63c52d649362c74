//! Changes webhooks, deletes them, and replaces their secrets.

use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use platform::database;
use platform::outbound::OutboundTarget;
use platform::refusal::{InputError, InputErrorKind, Refusal};
use rules::numbers::AccountNo;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::allowance::{WebhookCaller, WebhookRequest};
use super::create::parse_events;
use super::signing::SigningSecret;
use super::{Webhook, WebhookEvent, WebhookState, Webhooks, store, unknown_webhook};

/// Request body of `PATCH /api/webhooks/{id}`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(min_properties = 1)]
pub struct ChangeWebhookBody {
    /// Another address, as for a new webhook.
    #[schema(max_length = 2000)]
    pub url: Option<String>,
    /// Other events.
    #[schema(min_items = 1, max_items = 10, value_type = Option<Vec<WebhookEvent>>)]
    pub events: Option<Vec<String>>,
    /// `active` enables it again: events from before are not sent. `disabled` ends its pending deliveries.
    #[schema(value_type = Option<WebhookState>)]
    pub state: Option<String>,
}

/// The response to a change of a webhook.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChangeWebhookResponse {
    pub success: bool,
    pub webhook: Webhook,
}

/// A new secret of a webhook.
#[derive(Debug, Serialize, ToSchema)]
pub struct RotateSecretResponse {
    /// The new secret; it is shown only in this response. For 24 hours, deliveries are signed with the old
    /// one, too.
    pub secret: String,
}

/// Changes a webhook of an agent.
///
/// # Errors
/// `Input` for a wrong field or an unknown webhook, `Webhook` for too many new addresses, or `Overloaded` if
/// a host cannot be looked up in time.
pub async fn change(
    state: &AppState,
    webhooks: &Webhooks,
    caller: &WebhookCaller<'_>,
    id: &str,
    body: &ChangeWebhookBody,
) -> Result<ChangeWebhookResponse, Refusal> {
    let agent = caller.agent;
    let events = body.events.as_deref().map(parse_events).transpose()?;
    let new_state = body.state.as_deref().map(parse_state).transpose()?;
    if body.url.is_none() && events.is_none() && new_state.is_none() {
        let detail = "Send url, events or state.";
        return Err(InputError::for_field(InputErrorKind::Missing, "url", detail).into());
    }
    let target = match &body.url {
        Some(url) => Some(find_target(state, webhooks, caller, id, url).await?),
        None => None,
    };
    let now = state.clock.now();
    let mut transaction = state.pool.begin().await?;
    let webhook = store::lock(&mut transaction, agent.no, id).await?.ok_or_else(unknown_webhook)?;
    if let Some(target) = target {
        store::set_url(&mut transaction, webhook.no, target.as_str(), &target.host_key(), now).await?;
    }
    if let Some(events) = &events {
        store::set_events(&mut transaction, webhook.no, events, now).await?;
    }
    match new_state.filter(|new_state| *new_state != webhook.state) {
        Some(WebhookState::Active) => store::enable(&mut transaction, webhook.no, now).await?,
        Some(WebhookState::Disabled) => store::disable(&mut transaction, webhook.no, None, now).await?,
        None => {}
    }
    let webhook = store::lock(&mut transaction, agent.no, id).await?.ok_or_else(unknown_webhook)?;
    database::commit(transaction).await?;
    webhooks.wake();
    webhooks.wake_cleanup();
    Ok(ChangeWebhookResponse { success: true, webhook })
}

/// Returns the new address of a webhook. The request is counted before its host is looked up.
async fn find_target(
    state: &AppState,
    webhooks: &Webhooks,
    caller: &WebhookCaller<'_>,
    id: &str,
    url: &str,
) -> Result<OutboundTarget, Refusal> {
    let target = webhooks.parse_target(url)?;
    let mut transaction = state.pool.begin().await?;
    let request = WebhookRequest::check(&mut transaction, caller.agent, state.clock.now()).await?;
    store::lock(&mut transaction, caller.agent.no, id).await?.ok_or_else(unknown_webhook)?;
    request.save_before_look_up(transaction, caller, &target).await?;
    webhooks.check_host(caller, &target).await?;
    Ok(target)
}

fn parse_state(name: &str) -> Result<WebhookState, Refusal> {
    match name {
        "active" => Ok(WebhookState::Active),
        "disabled" => Ok(WebhookState::Disabled),
        _ => Err(Refusal::invalid("state", "state must be active or disabled.")),
    }
}

/// Deletes a webhook of an agent. None of its deliveries is sent without it; the clean-up deletes them.
///
/// # Errors
/// `Input` if the agent has no such webhook.
pub async fn delete(
    state: &AppState,
    webhooks: &Webhooks,
    agent: &Identity,
    id: &str,
) -> Result<(), Refusal> {
    if !store::delete(&state.pool, agent.no, id).await? {
        return Err(unknown_webhook());
    }
    webhooks.wake_cleanup();
    Ok(())
}

/// Deletes all webhooks of an agent.
pub async fn delete_all(state: &AppState, webhooks: &Webhooks, agent: AccountNo) -> Result<(), Refusal> {
    store::delete_all(&state.pool, agent).await?;
    webhooks.wake_cleanup();
    Ok(())
}

/// Replaces the secret of a webhook of an agent.
///
/// # Errors
/// `Input` if the agent has no such webhook.
pub async fn rotate(
    state: &AppState,
    webhooks: &Webhooks,
    agent: &Identity,
    id: &str,
) -> Result<RotateSecretResponse, Refusal> {
    let secret = SigningSecret::generate()?;
    let encrypted = webhooks.keys.encrypt(secret.as_bytes(), id)?;
    if store::replace_secret(&state.pool, agent.no, id, &encrypted, state.clock.now()).await? {
        Ok(RotateSecretResponse { secret: secret.to_text() })
    } else {
        Err(unknown_webhook())
    }
}
