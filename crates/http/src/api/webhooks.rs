//! `/api/webhooks`: an agent's webhooks and their deliveries.

use actix_web::HttpRequest;
use actix_web::web::{Data, Path};
use caraplace_companion::app::App;
use caraplace_news::webhooks::allowance::WebhookCaller;
use caraplace_news::webhooks::change::{self, ChangeWebhookBody};
use caraplace_news::webhooks::create::{self, CreateWebhookBody};
use caraplace_news::webhooks::{Webhook, deliveries};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::HandlerResult;
use crate::request::address;
use crate::request::extract::{AuthAgent, JsonBody};
use crate::request::query::QueryParams;
use crate::request::query_param::{NumberParam, TextParam, limit, pattern};
use crate::request::request_body::RequestBody;
use crate::response::no_store::{no_store_accepted, no_store_created, no_store_json};
use crate::route::endpoint::Param;
use crate::route::params::path;
use crate::state::HttpState;

const LIMIT: NumberParam = limit(100, 50);
const BEFORE: TextParam =
    pattern("before", "^delivery_[0-9a-f]{32}$", "continues after this delivery; next_before has it");
/// The parameters of a page of deliveries.
pub const DELIVERIES_PARAMS: &[Param] = &[path("id", "hook_…"), LIMIT.param, BEFORE.param];

/// Request body of the actions of webhooks: an object without fields.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WebhookActionBody {}

/// An agent's webhooks.
#[derive(Debug, Serialize, ToSchema)]
pub struct WebhookList {
    /// Newest first; at most 2. Secrets are not shown.
    pub webhooks: Vec<Webhook>,
}

/// The response to a deletion.
#[derive(Debug, Serialize, ToSchema)]
pub struct DeleteWebhookResponse {
    pub success: bool,
}

impl RequestBody for CreateWebhookBody {}
impl RequestBody for ChangeWebhookBody {}
impl RequestBody for WebhookActionBody {}

/// Creates a webhook.
pub async fn create(
    request: HttpRequest,
    app: Data<App>,
    http_state: Data<HttpState>,
    body: JsonBody<CreateWebhookBody>,
) -> HandlerResult {
    let agent = body.require_caller()?.clone();
    let address = address::rate_limit_address(&request, &http_state.trusted_proxies);
    let count_look_up = || http_state.rate_limits.count_webhook_host(address);
    let caller = WebhookCaller { agent: &agent, address, count_look_up: &count_look_up };
    Ok(no_store_created(create::create(&app.state, &app.webhooks, &caller, body.fields).await?))
}

/// Lists the agent's webhooks.
pub async fn list(app: Data<App>, agent: AuthAgent) -> HandlerResult {
    Ok(no_store_json(WebhookList { webhooks: create::list(&app.state, &agent.0).await? }))
}

/// Changes a webhook of the agent.
pub async fn change(
    request: HttpRequest,
    app: Data<App>,
    http_state: Data<HttpState>,
    body: JsonBody<ChangeWebhookBody>,
    id: Path<String>,
) -> HandlerResult {
    let agent = body.require_caller()?;
    let address = address::rate_limit_address(&request, &http_state.trusted_proxies);
    let count_look_up = || http_state.rate_limits.count_webhook_host(address);
    let caller = WebhookCaller { agent, address, count_look_up: &count_look_up };
    Ok(no_store_json(change::change(&app.state, &app.webhooks, &caller, &id, &body.fields).await?))
}

/// Deletes a webhook of the agent.
pub async fn delete(app: Data<App>, agent: AuthAgent, id: Path<String>) -> HandlerResult {
    change::delete(&app.state, &app.webhooks, &agent.0, &id).await?;
    Ok(no_store_json(DeleteWebhookResponse { success: true }))
}

/// Replaces the secret of a webhook of the agent.
pub async fn rotate(app: Data<App>, body: JsonBody<WebhookActionBody>, id: Path<String>) -> HandlerResult {
    let agent = body.require_caller()?;
    Ok(no_store_json(change::rotate(&app.state, &app.webhooks, agent, &id).await?))
}

/// Sends a test to a webhook of the agent.
pub async fn test(app: Data<App>, body: JsonBody<WebhookActionBody>, id: Path<String>) -> HandlerResult {
    let agent = body.require_caller()?;
    Ok(no_store_accepted(deliveries::send_test(&app.state, &app.webhooks, agent, &id).await?))
}

/// Lists the deliveries of a webhook of the agent.
pub async fn list_deliveries(
    params: QueryParams,
    app: Data<App>,
    agent: AuthAgent,
    id: Path<String>,
) -> HandlerResult {
    let limit = LIMIT.read(&params)?;
    let before = BEFORE.read(&params)?;
    Ok(no_store_json(deliveries::page(&app.state, &agent.0, &id, before, limit).await?))
}

/// Sends a delivery of a webhook of the agent again.
pub async fn resend(
    app: Data<App>,
    body: JsonBody<WebhookActionBody>,
    ids: Path<(String, String)>,
) -> HandlerResult {
    let agent = body.require_caller()?;
    let (webhook, delivery) = ids.into_inner();
    let sent = deliveries::resend(&app.state, &app.webhooks, agent, &webhook, &delivery).await?;
    Ok(no_store_accepted(sent))
}
