//! Lists deliveries, and sends one again or a test, when their agent asks for it.

use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use chrono::{DateTime, Utc};
use platform::refusal::{InputError, InputErrorKind, Refusal, WebhookRefusal};
use platform::{clock, database};
use serde::Serialize;
use serde_json::json;
use sqlx::{Postgres, Transaction};
use utoipa::ToSchema;

use super::allowance::WebhookRequest;
use super::delivery::Delivery;
use super::{Webhook, WebhookState, Webhooks, store, unknown_webhook};

/// The transaction of a request of an agent to send something.
struct PendingRequest {
    transaction: Transaction<'static, Postgres>,
    request: WebhookRequest,
    webhook: Webhook,
    now: DateTime<Utc>,
}

/// A page of deliveries.
#[derive(Debug, Serialize, ToSchema)]
pub struct DeliveryPage {
    /// Newest first. They are kept for 7 days, unless the operator has chosen another time.
    pub deliveries: Vec<Delivery>,
    /// The `before` of the next page; null if there are no older deliveries.
    pub next_before: Option<String>,
}

/// The response to a request to send something.
#[derive(Debug, Serialize, ToSchema)]
pub struct DeliveryResponse {
    pub success: bool,
    pub delivery: Delivery,
}

/// Returns a page of the deliveries of a webhook, newest first.
///
/// # Errors
/// `Input` if the agent has no such webhook, or `before` is no delivery of it.
pub async fn page(
    state: &AppState,
    agent: &Identity,
    id: &str,
    before: Option<&str>,
    limit: i64,
) -> Result<DeliveryPage, Refusal> {
    let webhooks = store::list(&state.pool, agent.no).await?;
    let webhook = webhooks.into_iter().find(|webhook| webhook.id == id).ok_or_else(unknown_webhook)?;
    let before = match before {
        Some(id) => store::find_position(&state.pool, webhook.no, id).await?.ok_or_else(bad_cursor)?,
        None => i64::MAX,
    };
    let mut deliveries = store::list_deliveries(&state.pool, webhook.no, before, limit + 1).await?;
    let has_older = deliveries.len() as i64 > limit;
    deliveries.truncate(limit as usize);
    let next_before = deliveries.last().filter(|_| has_older).map(|delivery| delivery.id.clone());
    Ok(DeliveryPage { deliveries, next_before })
}

fn bad_cursor() -> Refusal {
    let detail = "before is not a delivery of this webhook.";
    InputError::for_field(InputErrorKind::BadCursor, "before", detail).into()
}

/// Sends a test to a webhook.
///
/// # Errors
/// `Input` if the agent has no such webhook, or `Webhook` if it is disabled, or for too many requests.
pub async fn send_test(
    state: &AppState,
    webhooks: &Webhooks,
    agent: &Identity,
    id: &str,
) -> Result<DeliveryResponse, Refusal> {
    let mut pending = begin_request(state, agent, id).await?;
    let PendingRequest { transaction, webhook, now, .. } = &mut pending;
    let dedupe_key = clock::new_id("test");
    let data = json!({"webhook_id": webhook.id});
    let delivery = store::insert_test(transaction, webhook.no, &dedupe_key, &data, *now).await?;
    pending.commit(webhooks).await?;
    Ok(DeliveryResponse { success: true, delivery })
}

/// Sends a delivery of a webhook again, with the same id. One that is pending stays as it is.
///
/// # Errors
/// As [`send_test`], or `Webhook` if there is no such delivery.
pub async fn resend(
    state: &AppState,
    webhooks: &Webhooks,
    agent: &Identity,
    id: &str,
    delivery_id: &str,
) -> Result<DeliveryResponse, Refusal> {
    let mut pending = begin_request(state, agent, id).await?;
    let PendingRequest { transaction, webhook, now, .. } = &mut pending;
    let delivery = store::resend(transaction, webhook.no, delivery_id, *now).await?;
    let delivery = delivery.ok_or(WebhookRefusal::DeliveryNotFound)?;
    pending.commit(webhooks).await?;
    Ok(DeliveryResponse { success: true, delivery })
}

/// Locks an active webhook of an agent, and takes one of the agent's requests. Both count when the
/// transaction is committed.
async fn begin_request(state: &AppState, agent: &Identity, id: &str) -> Result<PendingRequest, Refusal> {
    let now = state.clock.now();
    let mut transaction = state.pool.begin().await?;
    let request = WebhookRequest::check(&mut transaction, agent, now).await?;
    let webhook = store::lock(&mut transaction, agent.no, id).await?.ok_or_else(unknown_webhook)?;
    if webhook.state == WebhookState::Disabled {
        return Err(WebhookRefusal::Disabled.into());
    }
    store::retry_now(&mut transaction, webhook.no, now).await?;
    Ok(PendingRequest { transaction, request, webhook, now })
}

impl PendingRequest {
    async fn commit(self, webhooks: &Webhooks) -> Result<(), Refusal> {
        let Self { mut transaction, request, .. } = self;
        request.save(&mut transaction).await?;
        database::commit(transaction).await?;
        webhooks.wake();
        Ok(())
    }
}
