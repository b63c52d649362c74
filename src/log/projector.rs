//! Applies what was written to the projection of this instance, and announces it.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};
use std::time::Duration;

use parking_lot::RwLock;
use rules::message::Message;
use sqlx::{ConnectOptions, PgConnection, PgPool};

use super::control::{Control, Named};
use super::error::LogError;
use super::measure;
use super::roster::Roster;
use super::settings::CurrentSettings;
use super::shadow::Shadow;
use super::store::{self, Span};
use super::timeout::{in_time, within};
use super::world::World;
use crate::clock::Clock;
use crate::live::event::{self, Event};
use crate::live::hub::Hub;
use crate::telemetry::{Laps, METRICS};

/// How many events are read at a time.
const PAGE: i64 = 5_000;
/// How long the database may take to say how far the log has come.
const ANSWERING: Duration = Duration::from_secs(3);
/// How long looking for news may take.
const CATCHING_UP: Duration = Duration::from_secs(10);

/// The projection, as the writer and the follower keep it up to date.
pub(super) struct Projector {
    pub pool: PgPool,
    pub clock: Clock,
    pub settings: Arc<CurrentSettings>,
    pub world: Arc<RwLock<World>>,
    pub roster: Arc<Roster>,
    pub hub: Arc<Hub>,
    /// The database's process that serves the writer: its wake-ups tell nothing new.
    pub writer_process: AtomicU32,
    /// The newest shadow message that its author was told of.
    pub whispered: AtomicI64,
}

impl Projector {
    /// Reads what other instances wrote. A database that vanished without a word is not waited for.
    pub async fn catch_up(&self) -> Result<(), LogError> {
        within(CATCHING_UP, self.read_new()).await.inspect(|()| measure::at_head(self.clock.now()))
    }

    async fn read_new(&self) -> Result<(), LogError> {
        let mut laps = Laps::start();
        let mut connection = self.pool.acquire().await?;
        laps.end(&METRICS.database.waits);
        let known = self.world.read().head;
        let head = within(ANSWERING, store::head(&mut connection)).await?;
        if head.seq < known {
            return Err(LogError::HeadWentBack { found: head.seq, known });
        }
        laps.end(&METRICS.database.round_trip);
        METRICS.follower.behind(head.seq - self.world.read().head);
        let names = self.read_control(&mut connection, head.control).await?;
        let read = self.read_up_to(&mut connection, head.seq).await;
        // What was said under an older name is in memory by now, if it ever will be.
        self.take_names(&names);
        read
    }

    /// Reads and applies the events up to a committed head.
    pub async fn read_up_to(&self, connection: &mut PgConnection, head: i64) -> Result<(), LogError> {
        let mut known = self.world.read().head;
        while known < head {
            let events = store::events(connection, known, (known + PAGE).min(head)).await?;
            self.take_in(connection, &events).await;
            known = (known + PAGE).min(head);
        }
        // A world that cannot come up to a committed head would stay behind for ever: better to say so.
        let reached = self.world.read().head;
        if reached < head {
            return Err(LogError::Gap { reached, head });
        }
        Ok(self.fill_gaps(connection).await?)
    }

    /// Reads the newest messages again where hiding has left too few of them in memory.
    pub async fn fill_gaps(&self, connection: &mut PgConnection) -> Result<(), sqlx::Error> {
        let gaps = |world: &World| world.has_gaps.then_some((world.head, world.season.seq));
        let Some((head, after)) = gaps(&self.world.read()) else { return Ok(()) };
        let messages = store::messages(connection, &Span::newest(after, head)).await?;
        self.world.write().refill(head, messages);
        Ok(())
    }

    /// Applies committed events, with the newest messages read anew where some were taken down or brought back: a
    /// client that hears of that finds the chat as it is now.
    pub async fn take_in(&self, connection: &mut PgConnection, events: &[Event]) {
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
        let after = opening.unwrap_or_else(|| self.world.read().season.seq);
        Some(Span::newest(after, events.last()?.seq()))
    }

    /// Applies committed events and announces them, both under the world's lock so that the order is one.
    fn apply(&self, events: &[Event], newest: Option<Vec<Message>>) {
        let mut world = self.world.write();
        let fresh: Vec<Event> = events.iter().filter(|event| world.apply(event)).cloned().collect();
        if let (Some(messages), Some(last)) = (newest, fresh.last()) {
            world.refill(last.seq(), messages);
        }
        measure::events(&fresh);
        self.hub.publish(&fresh);
    }

    /// Does what the control log says after the newest entry that is known; returns the names of the accounts that it
    /// is about.
    pub async fn read_control(
        &self,
        connection: &mut PgConnection,
        newest: i64,
    ) -> Result<Vec<Named>, sqlx::Error> {
        let known = self.roster.control();
        if known >= newest {
            return Ok(Vec::new());
        }
        let entries = store::control_after(connection, known).await?;
        if entries.contains(&Control::Season) {
            let (opening, course) = store::course(connection).await?;
            self.world.write().set_course(newest, opening, course);
        }
        if entries.contains(&Control::Settings) {
            self.settings.replace(newest, &store::settings(connection).await?);
        }
        let changed = entries.iter().filter_map(|entry| match entry {
            Control::KeyChanged(agent) | Control::Standing(agent) => Some(*agent),
            Control::Shadow(_) | Control::Settings | Control::Season => None,
        });
        let changed: Vec<i64> = changed.collect();
        let names = store::names(connection, &changed).await?;
        if entries.iter().any(|entry| matches!(entry, Control::Shadow(_))) {
            self.whisper(connection).await?;
        }
        self.roster.forget(&changed, newest);
        self.hub.recall(&changed);
        Ok(names)
    }

    /// Renames the authors of what is in memory to the names that they have now.
    pub fn take_names(&self, names: &[Named]) {
        if names.is_empty() {
            return;
        }
        let mut world = self.world.write();
        for (id, name) in names {
            world.rename(id, name);
            self.hub.rename(id, name);
        }
    }

    /// Sends authors who watch the shadow messages that they have written since the last look.
    async fn whisper(&self, connection: &mut PgConnection) -> Result<(), sqlx::Error> {
        let told = self.whispered.load(Ordering::Relaxed);
        for Shadow { no, author, message, .. } in store::shadows_after(connection, told).await? {
            self.whispered.fetch_max(no, Ordering::Relaxed);
            self.hub.whisper(author, event::unnumbered(&message));
        }
        Ok(())
    }

    /// Opens a connection that plans each of its few statements once, and by the keys that they name: how many rows a
    /// batch will have cannot be guessed.
    pub async fn connect(&self) -> Result<PgConnection, sqlx::Error> {
        let by_key = [
            ("plan_cache_mode", "force_generic_plan"),
            ("enable_hashjoin", "off"),
            ("enable_mergejoin", "off"),
        ];
        self.pool.connect_options().as_ref().clone().options(by_key).connect().await
    }
}
