//! Follows what other instances write: a wake-up says how far the log has come, the rest is read by number.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use sqlx::PgConnection;
use sqlx::postgres::{PgListener, PgNotification};
use tokio::time::timeout;

use super::gate::in_time;
use super::{Log, PAGE, Span, measure, store};
use crate::live::event::Event;
use crate::log::world::World;
use crate::telemetry::{Laps, METRICS};

/// The channel on which every commit is announced, as `HEAD CONTROL`.
const CHANNEL: &str = "caraplace";
/// Wake-ups may be lost; so often the follower looks by itself.
const POLL: Duration = Duration::from_millis(250);
const RETRY: Duration = Duration::from_millis(250);
/// How long the database may take to say how far the log has come.
const ANSWERING: Duration = Duration::from_secs(3);
/// How long looking for news may take.
const CATCHING_UP: Duration = Duration::from_secs(10);

/// Follows for as long as it is not aborted.
pub(super) async fn run(log: Arc<Log>) {
    let mut connected = true;
    loop {
        let Err(error) = follow(&log, &mut connected).await else { return };
        measure::lost(&error);
        log.hub.set_live(false);
        if std::mem::replace(&mut connected, false) {
            tracing::warn!(%error, "the database cannot be followed; trying again until it can");
        }
        tokio::time::sleep(RETRY).await;
    }
}

async fn follow(log: &Log, connected: &mut bool) -> Result<(), sqlx::Error> {
    let mut listener = PgListener::connect_with(&log.pool).await?;
    listener.listen(CHANNEL).await?;
    loop {
        log.catch_up().await?;
        if !std::mem::replace(connected, true) {
            tracing::info!("the database is followed again");
        }
        log.hub.set_live(true);
        wait(log, &mut listener).await?;
    }
}

/// Returns when there is something new, or it is time to look.
async fn wait(log: &Log, listener: &mut PgListener) -> Result<(), sqlx::Error> {
    let news = async {
        loop {
            let notification = listener.recv().await?;
            if is_news(log, &notification) {
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
fn is_news(log: &Log, notification: &PgNotification) -> bool {
    if notification.process_id() == log.writer.load(Ordering::Relaxed) {
        return false;
    }
    let mut numbers =
        notification.payload().split(' ').map(|number| number.parse::<i64>().unwrap_or(i64::MAX));
    let mut next = || numbers.next().unwrap_or(i64::MAX);
    next() > log.world.read().head || next() > log.roster.control()
}

impl Log {
    /// A database that vanished without a word must not be waited for.
    pub(super) async fn catch_up(&self) -> Result<(), sqlx::Error> {
        let read = timeout(CATCHING_UP, self.read_new()).await.unwrap_or(Err(sqlx::Error::PoolTimedOut));
        read.inspect(|()| measure::at_head(self.clock.now()))
    }

    async fn read_new(&self) -> Result<(), sqlx::Error> {
        let mut laps = Laps::start();
        let mut connection = self.pool.acquire().await?;
        laps.end(&METRICS.database.waits);
        let known = self.world.read().head;
        let head = timeout(ANSWERING, store::head(&mut connection)).await;
        let head = head.unwrap_or(Err(sqlx::Error::PoolTimedOut))?;
        if head.seq < known {
            let went_back =
                format!("the log ends at {}, but went to {known}: start this server anew", head.seq);
            return Err(sqlx::Error::Protocol(went_back));
        }
        laps.end(&METRICS.database.round_trip);
        METRICS.follower.behind(head.seq - self.world.read().head);
        let names = self.read_control(&mut connection, head.control).await?;
        let read = self.read_up_to(&mut connection, head.seq).await;
        // What was said under an older name is in memory by now, if it ever will be.
        self.take_names(&names);
        read
    }

    pub(super) async fn read_up_to(
        &self,
        connection: &mut PgConnection,
        head: i64,
    ) -> Result<(), sqlx::Error> {
        let mut known = self.world.read().head;
        while known < head {
            let events = store::events(connection, known, (known + PAGE).min(head)).await?;
            self.take_in(connection, &events).await;
            known = (known + PAGE).min(head);
        }
        self.check_no_hole(head)?;
        self.fill_gaps(connection).await
    }

    /// Reads the newest messages again where hiding has left too few of them in memory.
    pub(super) async fn fill_gaps(&self, connection: &mut PgConnection) -> Result<(), sqlx::Error> {
        let gaps = |world: &World| world.has_gaps().then_some((world.head, world.season.seq));
        let Some((head, after)) = self.snapshot(gaps) else { return Ok(()) };
        let messages = store::messages(connection, &Span::newest(after, head)).await?;
        self.world.write().refill(head, messages);
        Ok(())
    }

    /// A world that cannot come up to a committed head would stay behind for ever: better to say so.
    fn check_no_hole(&self, head: i64) -> Result<(), sqlx::Error> {
        let reached = self.world.read().head;
        if reached >= head {
            return Ok(());
        }
        Err(sqlx::Error::Protocol(format!("the log has a hole after event {reached}; its head is {head}")))
    }

    /// Folds committed events in, with the newest messages read anew where some were taken down or brought back: who
    /// hears of that finds the chat as it is now.
    pub(super) async fn take_in(&self, connection: &mut PgConnection, events: &[Event]) {
        let newest = match self.messages_after(events) {
            Some(span) => in_time(store::messages(connection, &span)).await.ok(),
            None => None,
        };
        self.apply(events, newest);
    }

    /// Which messages there may be after these events, where they change which are shown.
    fn messages_after(&self, events: &[Event]) -> Option<Span> {
        let is_mark = |event: &&Event| matches!(event, Event::Hidden(_) | Event::Restored(_));
        events.iter().find(is_mark)?;
        let openings = events.iter().rev().filter(|event| matches!(event, Event::Season(_)));
        let opening = openings.map(Event::seq).next();
        let after = opening.unwrap_or_else(|| self.snapshot(|world| world.season.seq));
        Some(Span::newest(after, events.last()?.seq()))
    }
}
