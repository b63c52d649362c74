//! Sends notices to the operators through one channel. A notice is claimed before it is sent and marked as sent
//! afterwards, so that instances do not send the same, and a notice that fails is sent again.

use std::sync::Arc;
use std::time::Duration;

use caraplace_log::state::AppState;
use chrono::{DateTime, TimeDelta, Utc};
use platform::telemetry::METRICS;
use rules::quiet_hours::QuietHours;
use tokio::time::{sleep, timeout};

use super::channel::NoticeChannel;
use super::faults::FaultWatch;
use super::store;
use super::text::OperatorNotice;

/// The interval between checks for something new.
const CHECK_INTERVAL: Duration = Duration::from_secs(5);
/// The time after which sending is given up.
const SEND_TIMEOUT: Duration = Duration::from_mins(1);
/// The shortest time between two notices about new things.
const MIN_PAUSE: TimeDelta = TimeDelta::minutes(1);
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
    let mut last_sent: Option<DateTime<Utc>> = None;
    loop {
        sleep(CHECK_INTERVAL).await;
        let writable = state.log.writable();
        if let Some(fault) = faults.check(writable)
            && send(&channel, &OperatorNotice::about_fault(fault, &base_url)).await
        {
            faults.mark_sent(fault);
        }
        let now = state.clock.now();
        let is_quiet = quiet_hours.is_some_and(|hours| hours.contains(now));
        let is_pause = last_sent.is_some_and(|at| now - at < MIN_PAUSE);
        if is_quiet || is_pause || writable.is_err() {
            continue;
        }
        match send_new_notices(&state, &channel, &base_url, now).await {
            Ok(true) => last_sent = Some(now),
            Ok(false) => {}
            Err(error) => tracing::warn!(%error, "notices of operators could not be read, trying again"),
        }
    }
}

/// Sends one notice about everything new. Returns true if there was something, and the channel has accepted
/// it.
async fn send_new_notices(
    state: &AppState,
    channel: &NoticeChannel,
    base_url: &str,
    now: DateTime<Utc>,
) -> Result<bool, sqlx::Error> {
    let subjects = store::claim(&state.pool, channel.name(), now, now + CLAIM).await?;
    let Some(notice) = OperatorNotice::about(&subjects, base_url) else { return Ok(false) };
    if !send(channel, &notice).await {
        return Ok(false);
    }
    let keys: Vec<String> = subjects.into_iter().map(|subject| subject.thing).collect();
    store::mark_sent(&state.pool, channel.name(), &keys, state.clock.now()).await?;
    Ok(true)
}

/// Sends a notice. Returns true if the channel has accepted it.
async fn send(channel: &NoticeChannel, notice: &OperatorNotice) -> bool {
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
