//! Measures the deliveries that wait for an attempt.

use std::sync::Arc;
use std::time::Duration;

use caraplace_log::state::AppState;
use platform::telemetry::METRICS;
use tokio::time::sleep;

use super::errors::WebhookTask;
use super::{Webhooks, store};

/// The interval between measurements.
const MEASURE_INTERVAL: Duration = Duration::from_secs(10);

/// Measures until the task is aborted.
pub(super) async fn measure(state: Arc<AppState>, webhooks: Arc<Webhooks>) {
    loop {
        match store::count_pending(&state.pool).await {
            Ok(count) => METRICS.webhooks.pending.set(count),
            Err(error) => webhooks.errors.record(WebhookTask::Measure, &error),
        }
        sleep(MEASURE_INTERVAL).await;
    }
}
