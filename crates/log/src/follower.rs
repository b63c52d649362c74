//! The follower: applies events of other instances. A notification announces the new head; events are read by
//! sequence number.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use chrono::TimeDelta;
use platform::telemetry::METRICS;
use rules::numbers::Seq;
use sqlx::Acquire as _;
use sqlx::postgres::{PgListener, PgNotification};
use tokio::time::timeout;

use super::error::LogError;
use super::projector::Projector;
use super::timeout::with_step_timeout;
use super::{clock_watch, metrics, private_news};

/// The channel on which every commit is announced, as `HEAD CONTROL`.
const NOTIFY_CHANNEL: &str = "caraplace";
/// The interval at which the follower reads the head by itself, because notifications may be lost.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
const RETRY_INTERVAL: Duration = Duration::from_millis(250);

/// Follows the log until the task is aborted or the pool is closed.
pub(super) async fn run(projector: Arc<Projector>) {
    let mut connected = true;
    let mut stored_lead = None;
    loop {
        let Err(error) = follow(&projector, &mut connected, &mut stored_lead).await else { return };
        // Only a process that stops closes the pool. It aborts this task before, but need not reach it in
        // time.
        if matches!(error, LogError::Database(sqlx::Error::PoolClosed)) {
            return;
        }
        metrics::record_follower_error(&error);
        projector.hub.set_live(false);
        if std::mem::replace(&mut connected, false) {
            tracing::warn!(%error, "the log cannot be followed, trying again");
        }
        tokio::time::sleep(RETRY_INTERVAL).await;
    }
}

/// `stored_lead` is the stored lead of the database's clock, `None` if it is not known.
async fn follow(
    projector: &Projector,
    connected: &mut bool,
    stored_lead: &mut Option<TimeDelta>,
) -> Result<(), LogError> {
    loop {
        let mut listener = listen(projector).await?;
        loop {
            catch_up(projector, &mut listener).await?;
            store_clock_lead(projector, stored_lead).await;
            if !std::mem::replace(connected, true) {
                tracing::info!("the log is followed again");
            }
            projector.hub.set_live(true);
            if !wait_for_news(projector, &mut listener).await? {
                metrics::record_lost_connection();
                break;
            }
        }
    }
}

/// Reads what other instances have written. If requests keep all pooled connections in use, it is read on the
/// connection of the notifications, so that a busy database is not taken for one that does not answer.
async fn catch_up(projector: &Projector, listener: &mut PgListener) -> Result<(), LogError> {
    match projector.catch_up().await {
        Err(LogError::Database(sqlx::Error::PoolTimedOut)) => {
            let connection = with_step_timeout(listener.acquire()).await?;
            projector.catch_up_on(connection).await?;
            // If that connection was opened anew for it, notifications were lost with the old one.
            projector.hub.announce_private_news_to_all();
            metrics::record_at_head(projector.clock.now());
            Ok(())
        }
        result => result,
    }
}

/// Stores the lead of the database's clock for the next start if it has changed. A database that is read-only
/// or busy is no error: the next round tries again.
async fn store_clock_lead(projector: &Projector, stored: &mut Option<TimeDelta>) {
    if !clock_watch::has_new_lead(&projector.clock, *stored) {
        return;
    }
    let stored = with_step_timeout(clock_watch::store_lead(&projector.pool, &projector.clock, stored)).await;
    if let Err(error) = stored {
        tracing::debug!(%error, "the lead of the database's clock was not stored");
    }
}

/// Opens a connection that receives all notifications.
async fn listen(projector: &Projector) -> Result<PgListener, LogError> {
    let mut listener = PgListener::connect_with(&projector.pool).await?;
    // A lost connection must be noticed here, because notifications are lost with it.
    listener.eager_reconnect(false);
    listener.listen_all([NOTIFY_CHANNEL, private_news::NOTIFY_CHANNEL]).await?;
    projector.hub.announce_private_news_to_all();
    Ok(listener)
}

/// Waits until there is a new event, or until the poll interval has passed. Returns false if the connection
/// was lost.
async fn wait_for_news(projector: &Projector, listener: &mut PgListener) -> Result<bool, LogError> {
    let notified = async {
        loop {
            let Some(notification) = listener.try_recv().await? else { return Ok(false) };
            if notification.channel() == private_news::NOTIFY_CHANNEL {
                announce_private_news(projector, &notification);
                continue;
            }
            if is_news(projector, &notification) {
                METRICS.follower.wakeups_with_news.inc();
                return Ok(true);
            }
            METRICS.follower.wakeups_without_news.inc();
        }
    };
    timeout(POLL_INTERVAL, notified).await.unwrap_or_else(|_| {
        METRICS.follower.polls_without_wakeup.inc();
        Ok(true)
    })
}

/// Announces the private news of other instances. The writer has announced its own.
fn announce_private_news(projector: &Projector, notification: &PgNotification) {
    if !is_by_own_writer(projector, notification) {
        projector.hub.announce_private_news(&private_news::parse_payload(notification.payload()));
    }
}

fn is_by_own_writer(projector: &Projector, notification: &PgNotification) -> bool {
    notification.process_id() == projector.writer_process.load(Ordering::Relaxed)
}

/// Returns true if a notification announces something that this instance does not know. Its own writes do
/// not.
fn is_news(projector: &Projector, notification: &PgNotification) -> bool {
    if is_by_own_writer(projector, notification) {
        return false;
    }
    let mut positions =
        notification.payload().split(' ').map(|number| number.parse::<i64>().unwrap_or(i64::MAX));
    let mut next = || positions.next().unwrap_or(i64::MAX);
    Seq(next()) > projector.world.read().head || next() > projector.control_head()
}
