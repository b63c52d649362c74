//! Creates webhooks, and lists those of an agent.

use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use platform::outbound::{HostRefusal, OutboundTarget, TargetRefusal};
use platform::refusal::Refusal;
use platform::{clock, database};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::allowance::{WebhookCaller, WebhookRequest};
use super::signing::SigningSecret;
use super::store::{self, NewWebhookRow};
use super::{MAX_WEBHOOKS, Webhook, WebhookEvent, Webhooks};

/// Request body of `POST /api/webhooks`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateWebhookBody {
    /// A public address that begins with `https://`, without user name, password and fragment, with port 443,
    /// 80, or one from 1024 on. Its host must be resolvable now, and is checked again with each delivery.
    #[schema(max_length = 2000)]
    pub url: String,
    /// The events to which the webhook subscribes, without repetitions. Tests are sent in any case.
    #[schema(min_items = 1, max_items = 10, value_type = Vec<WebhookEvent>)]
    pub events: Vec<String>,
    /// The secret with which deliveries are signed: `whsec_` and 24 to 64 bytes in base64. Drawn by the
    /// server if left out.
    pub secret: Option<String>,
}

/// A new webhook.
#[derive(Debug, Serialize, ToSchema)]
pub struct CreateWebhookResponse {
    pub success: bool,
    pub webhook: Webhook,
    /// The secret with which deliveries are signed; it is shown only in this response.
    pub secret: String,
}

/// Creates a webhook.
///
/// # Errors
/// `Input` for a wrong field, `LimitReached`, `Webhook` for too many requests, or `Overloaded` if the host
/// cannot be looked up in time.
pub async fn create(
    state: &AppState,
    webhooks: &Webhooks,
    caller: &WebhookCaller<'_>,
    body: CreateWebhookBody,
) -> Result<CreateWebhookResponse, Refusal> {
    let agent = caller.agent;
    let events = parse_events(&body.events)?;
    let secret = body.secret.as_deref().map(SigningSecret::parse).transpose()?;
    let target = webhooks.parse_target(&body.url)?;
    if store::list(&state.pool, agent.no).await?.len() >= MAX_WEBHOOKS {
        return Err(Refusal::LimitReached { limit: MAX_WEBHOOKS, objects: "webhooks" });
    }
    let mut transaction = state.pool.begin().await?;
    let request = WebhookRequest::check(&mut transaction, agent, state.clock.now()).await?;
    request.save_before_look_up(transaction, caller, &target).await?;
    webhooks.check_host(caller, &target).await?;
    let secret = secret.map_or_else(SigningSecret::generate, Ok)?;
    let id = clock::new_id("hook");
    let row = NewWebhookRow {
        id: &id,
        agent: agent.no,
        url: target.as_str(),
        host: &target.host_key(),
        events: &events,
        secret: &webhooks.keys.encrypt(secret.as_bytes(), &id)?,
        now: state.clock.now(),
    };
    let mut transaction = state.pool.begin().await?;
    store::lock_allowance(&mut transaction, agent.no).await?;
    let inserted = store::insert(&mut transaction, &row, MAX_WEBHOOKS as i64).await?;
    let webhook = inserted.ok_or(Refusal::LimitReached { limit: MAX_WEBHOOKS, objects: "webhooks" })?;
    database::commit(transaction).await?;
    Ok(CreateWebhookResponse { success: true, webhook, secret: secret.to_text() })
}

/// Returns the webhooks of an agent, newest first.
pub async fn list(state: &AppState, agent: &Identity) -> Result<Vec<Webhook>, Refusal> {
    Ok(store::list(&state.pool, agent.no).await?)
}

impl Webhooks {
    /// Parses an address.
    ///
    /// # Errors
    /// `Input`.
    pub(super) fn parse_target(&self, url: &str) -> Result<OutboundTarget, Refusal> {
        self.client.parse_target(url).map_err(refuse_url)
    }

    /// Checks that the host of an address can be resolved and reached. The request must have been counted
    /// before.
    ///
    /// # Errors
    /// `Input`, which does not say what stands there, or `Overloaded` if the host cannot be looked up in
    /// time.
    pub(super) async fn check_host(
        &self,
        caller: &WebhookCaller<'_>,
        target: &OutboundTarget,
    ) -> Result<(), Refusal> {
        let checked = self.client.check_host(target, &caller.agent.id, caller.address).await;
        checked.map_err(|refusal| match refusal {
            HostRefusal::Target(reason) => refuse_url(reason),
            HostRefusal::Busy => Refusal::Overloaded,
        })
    }
}

fn refuse_url(reason: TargetRefusal) -> Refusal {
    Refusal::invalid("url", format!("url {reason}."))
}

/// Returns the names of events without repetitions.
///
/// # Errors
/// `Input` if there is none, an unknown or a repeated one.
pub(super) fn parse_events(names: &[String]) -> Result<Vec<String>, Refusal> {
    let refuse = |detail: String| Err(Refusal::invalid("events", detail));
    let known = WebhookEvent::ALL.map(WebhookEvent::name).join(", ");
    let mut events: Vec<String> = Vec::new();
    for name in names {
        if WebhookEvent::parse(name).is_none() {
            return refuse(format!("events has an unknown event. The events are: {known}."));
        }
        if events.contains(name) {
            return refuse(format!("events has {name} twice."));
        }
        events.push(name.clone());
    }
    if events.is_empty() { refuse(format!("events must have at least one of {known}.")) } else { Ok(events) }
}
