//! Deletes old deliveries, those without a webhook, and secrets that sign no more. A few rows at a time, so that nothing
//! else waits.

use std::sync::Arc;

use chrono::TimeDelta;
use tokio::time::sleep;

use super::{PREVIOUS_SECRET_LIFETIME, store};
use crate::state::AppState;
use crate::tasks::CLEANUP_INTERVAL;

/// The maximum number of rows in a batch.
const BATCH_ROWS: i64 = 500;

/// Deletes at intervals, until the task is aborted.
pub(super) async fn run(state: Arc<AppState>, delivery_days: u32) {
    loop {
        sleep(CLEANUP_INTERVAL).await;
        if let Err(error) = run_once(&state, delivery_days).await {
            tracing::warn!(%error, "old deliveries to webhooks could not be deleted, trying again later");
        }
    }
}

/// Deletes everything that is too old now: deliveries after this number of days.
///
/// # Errors
/// Returns the error of the database. What was deleted before it stays deleted.
pub async fn run_once(state: &AppState, delivery_days: u32) -> Result<(), sqlx::Error> {
    let (pool, now) = (&state.pool, state.clock.now());
    store::delete_previous_secrets(pool, now - PREVIOUS_SECRET_LIFETIME).await?;
    let before = now - TimeDelta::days(delivery_days.into());
    repeat(|| store::delete_deliveries_before(pool, before, BATCH_ROWS)).await?;
    repeat(|| store::delete_deliveries_without_webhook(pool, BATCH_ROWS)).await
}

/// Deletes all deliveries of a webhook.
///
/// # Errors
/// Returns the error of the database.
pub(super) async fn delete_deliveries_of(state: &AppState, webhook: i64) -> Result<(), sqlx::Error> {
    repeat(|| store::delete_deliveries_of(&state.pool, webhook, BATCH_ROWS)).await
}

/// Deletes batches until one is not full.
async fn repeat<F: Future<Output = Result<u64, sqlx::Error>>>(
    mut delete_batch: impl FnMut() -> F,
) -> Result<(), sqlx::Error> {
    while delete_batch().await? == BATCH_ROWS as u64 {}
    Ok(())
}
