//! The follower: applies events of other instances. A notification announces the new head; events are read by
//! sequence number.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use sqlx::postgres::{PgListener, PgNotification};
use tokio::time::timeout;

use super::error::LogError;
use super::metrics;
use super::projector::Projector;
use crate::telemetry::METRICS;

/// The channel on which every commit is announced, as `HEAD CONTROL`.
const NOTIFY_CHANNEL: &str = "caraplace";
/// The interval at which the follower reads the head by itself, because notifications may be lost.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
const RETRY_INTERVAL: Duration = Duration::from_millis(250);

/// Follows the log until the task is aborted.
pub(super) async fn run(projector: Arc<Projector>) {
    let mut connected = true;
    loop {
        let Err(error) = follow(&projector, &mut connected).await else { return };
        metrics::record_follower_error(&error);
        projector.hub.set_live(false);
        if std::mem::replace(&mut connected, false) {
            tracing::warn!(%error, "the log cannot be followed, trying again");
        }
        tokio::time::sleep(RETRY_INTERVAL).await;
    }
}

async fn follow(projector: &Projector, connected: &mut bool) -> Result<(), LogError> {
    let mut listener = PgListener::connect_with(&projector.pool).await?;
    listener.listen(NOTIFY_CHANNEL).await?;
    loop {
        projector.catch_up().await?;
        if !std::mem::replace(connected, true) {
            tracing::info!("the log is followed again");
        }
        projector.hub.set_live(true);
        wait_for_news(projector, &mut listener).await?;
    }
}

/// Waits until there is a new event, or until the poll interval has passed.
async fn wait_for_news(projector: &Projector, listener: &mut PgListener) -> Result<(), LogError> {
    let notified = async {
        loop {
            let notification = listener.recv().await?;
            if is_news(projector, &notification) {
                METRICS.follower.wakeups_with_news.inc();
                return Ok(());
            }
            METRICS.follower.wakeups_without_news.inc();
        }
    };
    timeout(POLL_INTERVAL, notified).await.unwrap_or_else(|_| {
        METRICS.follower.polls_without_wakeup.inc();
        Ok(())
    })
}

/// Returns true if a notification announces something that this instance does not know. Its own writes do not.
fn is_news(projector: &Projector, notification: &PgNotification) -> bool {
    if notification.process_id() == projector.writer_process.load(Ordering::Relaxed) {
        return false;
    }
    let mut positions =
        notification.payload().split(' ').map(|number| number.parse::<i64>().unwrap_or(i64::MAX));
    let mut next = || positions.next().unwrap_or(i64::MAX);
    next() > projector.world.read().head || next() > projector.key_cache.control_head()
}
