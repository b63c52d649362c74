//! The list of webhooks: which agents send to which hosts, and whether that works.

use caraplace_log::state::AppState;
use platform::refusal::Refusal;
use serde::Serialize;
use utoipa::ToSchema;

use super::store::webhooks as store;

pub use super::store::webhooks::ListedWebhook;

/// A page of the operators' list of webhooks.
#[derive(Debug, Serialize, ToSchema)]
pub struct ListedWebhookPage {
    pub success: bool,
    /// Newest first.
    pub webhooks: Vec<ListedWebhook>,
    /// The `before` of the next page; null on the last page.
    pub next_before: Option<i64>,
}

/// Returns the webhooks with numbers below `before`, newest first.
pub async fn list(state: &AppState, before: Option<i64>, limit: i64) -> Result<ListedWebhookPage, Refusal> {
    let mut webhooks = store::list(&state.pool, before.unwrap_or(i64::MAX), limit + 1).await?;
    let has_more = webhooks.len() as i64 > limit;
    webhooks.truncate(limit as usize);
    let next_before = webhooks.last().map(|webhook| webhook.no).filter(|_| has_more);
    Ok(ListedWebhookPage { success: true, webhooks, next_before })
}
