//! Ends deliveries of disabled webhooks, and deletes old deliveries, those without a webhook, and secrets
//! that sign no more. A few rows at a time, so that nothing else waits.

use std::sync::Arc;
use std::time::Duration;

use caraplace_log::state::AppState;
use chrono::TimeDelta;
use platform::background_tasks::CLEANUP_INTERVAL;
use platform::batches::{BATCH_ROWS, repeat};
use platform::telemetry::METRICS;
use tokio::time::sleep;

use super::errors::WebhookTask;
use super::{PREVIOUS_SECRET_LIFETIME, Webhooks, lost_keys, store};

/// The pause after each run that a change of a webhook has caused.
const CHANGE_PAUSE: Duration = Duration::from_secs(1);

/// Cleans up at intervals, until the task is aborted.
pub(super) async fn run(state: Arc<AppState>, webhooks: Arc<Webhooks>) {
    lost_keys::warn_at_start(&state, &webhooks).await;
    loop {
        sleep(CLEANUP_INTERVAL).await;
        let result = run_once(&state, webhooks.delivery_days).await;
        webhooks.errors.record_result(WebhookTask::CleanUp, result);
        lost_keys::disable_webhooks(&state, &webhooks).await;
    }
}

/// Ends the deliveries of webhooks that are disabled, enabled or deleted here, until the task is aborted.
pub(super) async fn run_after_changes(state: Arc<AppState>, webhooks: Arc<Webhooks>) {
    loop {
        webhooks.ended.notified().await;
        webhooks.errors.record_result(WebhookTask::CleanUp, end_deliveries(&state).await);
        sleep(CHANGE_PAUSE).await;
    }
}

/// Ends and deletes everything that is too old now: deliveries after this number of days.
///
/// # Errors
/// Returns the error of the database. What was changed before it stays so.
pub async fn run_once(state: &AppState, delivery_days: u32) -> Result<(), sqlx::Error> {
    let pool = &state.pool;
    let now = state.clock.now();
    store::delete_previous_secrets(pool, now - PREVIOUS_SECRET_LIFETIME).await?;
    end_deliveries(state).await?;
    let before = now - TimeDelta::days(delivery_days.into());
    repeat(|| store::delete_deliveries_before(pool, before, BATCH_ROWS)).await?;
    // The next run deletes them, too.
    let given_up = repeat(|| store::fail_deliveries_before(pool, before, BATCH_ROWS)).await?;
    METRICS.webhooks.failed.inc_by(given_up);
    Ok(())
}

/// Marks the deliveries of disabled webhooks as failed, and deletes those of deleted webhooks.
async fn end_deliveries(state: &AppState) -> Result<(), sqlx::Error> {
    repeat(|| store::fail_ended_deliveries(&state.pool, BATCH_ROWS)).await?;
    repeat(|| store::delete_deliveries_without_webhook(&state.pool, BATCH_ROWS)).await?;
    Ok(())
}
