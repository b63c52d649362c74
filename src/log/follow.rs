//! Follows what other instances write: a wake-up says how far the log has come, the rest is read by number.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use sqlx::postgres::{PgListener, PgNotification};
use tokio::time::timeout;

use super::error::LogError;
use super::measure;
use super::projector::Projector;
use crate::telemetry::METRICS;

/// The channel on which every commit is announced, as `HEAD CONTROL`.
const CHANNEL: &str = "caraplace";
/// Wake-ups may be lost; so often the follower looks by itself.
const POLL: Duration = Duration::from_millis(250);
const RETRY: Duration = Duration::from_millis(250);

/// Follows for as long as it is not aborted.
pub(super) async fn run(projector: Arc<Projector>) {
    let mut connected = true;
    loop {
        let Err(error) = follow(&projector, &mut connected).await else { return };
        measure::lost(&error);
        projector.hub.set_live(false);
        if std::mem::replace(&mut connected, false) {
            tracing::warn!(%error, "the database cannot be followed; trying again until it can");
        }
        tokio::time::sleep(RETRY).await;
    }
}

async fn follow(projector: &Projector, connected: &mut bool) -> Result<(), LogError> {
    let mut listener = PgListener::connect_with(&projector.pool).await?;
    listener.listen(CHANNEL).await?;
    loop {
        projector.catch_up().await?;
        if !std::mem::replace(connected, true) {
            tracing::info!("the database is followed again");
        }
        projector.hub.set_live(true);
        wait(projector, &mut listener).await?;
    }
}

/// Returns when there is something new, or it is time to look.
async fn wait(projector: &Projector, listener: &mut PgListener) -> Result<(), LogError> {
    let news = async {
        loop {
            let notification = listener.recv().await?;
            if is_news(projector, &notification) {
                METRICS.follower.news.inc();
                return Ok(());
            }
            METRICS.follower.known.inc();
        }
    };
    timeout(POLL, news).await.unwrap_or_else(|_| {
        METRICS.follower.quiet.inc();
        Ok(())
    })
}

/// Whether a wake-up tells more than this instance knows; its own writes do not.
fn is_news(projector: &Projector, notification: &PgNotification) -> bool {
    if notification.process_id() == projector.writer_process.load(Ordering::Relaxed) {
        return false;
    }
    let mut numbers =
        notification.payload().split(' ').map(|number| number.parse::<i64>().unwrap_or(i64::MAX));
    let mut next = || numbers.next().unwrap_or(i64::MAX);
    next() > projector.world.read().head || next() > projector.roster.control()
}
