//! Sends notices to the operators through one channel. A notice is claimed before it is sent and marked as sent
//! afterwards, so that instances do not send the same, and a notice that fails is sent again.

use std::sync::Arc;
use std::time::Duration;

use caraplace_log::state::AppState;
use chrono::TimeDelta;
use platform::telemetry::METRICS;
use rules::quiet_hours::QuietHours;
use tokio::time::{sleep, timeout};

use super::channel::NoticeChannel;
use super::faults::FaultWatch;
use super::store;
use super::text::Notice;

/// The interval between checks for something new.
const CHECK_INTERVAL: Duration = Duration::from_secs(5);
/// The time after which sending is given up.
const SEND_TIMEOUT: Duration = Duration::from_mins(1);
/// The time for which a notice is claimed: longer than sending takes, and the wait after a failure.
const CLAIM: TimeDelta = TimeDelta::minutes(2);

/// Sends notices until the task is aborted.
pub(super) async fn run(
    state: Arc<AppState>,
    channel: NoticeChannel,
    quiet_hours: Option<QuietHours>,
    base_url: String,
) {
    let mut faults = FaultWatch::default();
    loop {
        sleep(CHECK_INTERVAL).await;
        let writable = state.log.writable();
        if let Some(fault) = faults.check(writable)
            && send(&channel, &Notice::about_fault(fault, &base_url)).await
        {
            faults.mark_sent(fault);
        }
        let is_quiet = quiet_hours.is_some_and(|hours| hours.contains(state.clock.now()));
        if is_quiet || writable.is_err() {
            continue;
        }
        if let Err(error) = send_new_notices(&state, &channel, &base_url).await {
            tracing::warn!(%error, "notices of operators could not be read, trying again");
        }
    }
}

async fn send_new_notices(
    state: &AppState,
    channel: &NoticeChannel,
    base_url: &str,
) -> Result<(), sqlx::Error> {
    let now = state.clock.now();
    let subjects = store::claim(&state.pool, channel.name(), now, now + CLAIM).await?;
    let Some(notice) = Notice::about(&subjects, base_url) else { return Ok(()) };
    if send(channel, &notice).await {
        let keys: Vec<String> = subjects.into_iter().map(|subject| subject.thing).collect();
        store::mark_sent(&state.pool, channel.name(), &keys, state.clock.now()).await?;
    }
    Ok(())
}

/// Sends a notice. Returns true if the channel has accepted it.
async fn send(channel: &NoticeChannel, notice: &Notice) -> bool {
    let name = channel.name();
    let metrics = &METRICS.notifications;
    let failed = match timeout(SEND_TIMEOUT, channel.send(notice)).await {
        Ok(Ok(())) => {
            metrics.notices_sent.inc();
            return true;
        }
        Ok(Err(error)) => error.to_string(),
        Err(_) => "it takes too long".to_owned(),
    };
    metrics.notices_failed.inc();
    tracing::warn!(channel = name, error = failed, "a notice to the operators failed, trying again");
    false
}
