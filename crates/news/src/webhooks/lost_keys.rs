//! Webhooks whose secrets this instance cannot decrypt, because their key was lost or another instance has
//! it.

use caraplace_log::state::AppState;
use platform::telemetry::METRICS;

use super::errors::WebhookTask;
use super::retry::RETRY_PERIOD;
use super::{Webhooks, store};

/// Warns if there are such webhooks.
pub(super) async fn warn_at_start(state: &AppState, webhooks: &Webhooks) {
    match store::count_without_key(&state.pool, &webhooks.keys.names()).await {
        Ok(0) => {}
        Ok(count) => tracing::warn!(
            count,
            "webhooks cannot be sent by this instance: it has not the keys of their secrets; add them to \
             CARAPLACE_WEBHOOK_KEY"
        ),
        Err(error) => webhooks.errors.record(WebhookTask::CleanUp, &error),
    }
}

/// Disables such webhooks.
pub(super) async fn disable_webhooks(state: &AppState, webhooks: &Webhooks) {
    match disable_without_key(state, &webhooks.keys.names()).await {
        Ok(ids) if ids.is_empty() => {}
        Ok(ids) => {
            METRICS.webhooks.disabled.inc_by(ids.len() as u64);
            tracing::warn!(count = ids.len(), webhooks = ?ids, "webhooks without a key were disabled");
            webhooks.wake_cleanup();
        }
        Err(error) => webhooks.errors.record(WebhookTask::CleanUp, &error),
    }
}

/// Disables webhooks whose secrets keys with other names have encrypted, after a day in which no instance has
/// sent what was due. Returns their ids; the inbox reports them to their agents.
pub async fn disable_without_key(
    state: &AppState,
    key_names: &[Vec<u8>],
) -> Result<Vec<String>, sqlx::Error> {
    let now = state.clock.now();
    store::disable_without_key(&state.pool, key_names, now - RETRY_PERIOD, now).await
}
