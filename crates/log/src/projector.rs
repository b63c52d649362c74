//! Applies committed events to the projection of this instance, and publishes them.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};
use std::time::Duration;

use caraplace_live::event::Event;
use caraplace_live::hub::Hub;
use parking_lot::{Mutex, RwLock};
use platform::clock::Clock;
use platform::telemetry::{METRICS, PhaseTimer};
use rules::numbers::{AccountNo, Seq};
use sqlx::{ConnectOptions, PgConnection, PgPool};

use super::clock_watch::follow_clock;
use super::control::AccountIdAndName;
use super::control_entry::ControlEntry;
use super::current_settings::CurrentSettings;
use super::error::LogError;
use super::metrics;
use super::nouns::Nouns;
use super::reload::{ReloadContext, Replacement};
use super::services::Services;
use super::store;
use super::timeout::{with_step_timeout, with_timeout};
use super::world::World;

/// The number of events that are read at a time.
const EVENTS_PER_PAGE: i64 = 5_000;
/// The time limit for reading the head.
const HEAD_TIMEOUT: Duration = Duration::from_secs(3);
/// The time limit for reading all new events.
const CATCH_UP_TIMEOUT: Duration = Duration::from_secs(10);

/// The projection, which the writer and the follower keep up to date.
pub(super) struct Projector {
    pub pool: PgPool,
    pub clock: Clock,
    pub settings: Arc<CurrentSettings>,
    pub world: Arc<RwLock<World>>,
    pub services: Arc<Services>,
    /// The number of the newest entry of the control log that was applied in full.
    pub control_head: AtomicI64,
    /// The names of the accounts in applied entries, which are set in memory once the events were read.
    pub pending_names: Mutex<Vec<AccountIdAndName>>,
    /// The number up to which the events must have been applied before the settings and names in memory are
    /// told: it was the head after they were read.
    pub told_after: AtomicI64,
    pub hub: Arc<Hub>,
    /// The additions of nouns to the log.
    pub nouns: &'static Nouns,
    /// The id of the database process that serves the writer. Its notifications are ignored.
    pub writer_process: AtomicU32,
}

impl Projector {
    /// Reads and applies what other instances have written. It gives up after a time limit, because a
    /// database can disappear without closing its connections.
    pub async fn catch_up(&self) -> Result<(), LogError> {
        let read_new = async {
            let mut timer = PhaseTimer::start();
            let mut connection = self.pool.acquire().await?;
            timer.observe_phase(&METRICS.database.pool_wait);
            self.read_new(&mut connection).await
        };
        with_timeout(CATCH_UP_TIMEOUT, read_new).await.inspect(|()| metrics::record_at_head(self.clock.now()))
    }

    /// Reads and applies what other instances have written, on a connection that may be in a transaction.
    pub async fn catch_up_on(&self, connection: &mut PgConnection) -> Result<(), LogError> {
        with_timeout(CATCH_UP_TIMEOUT, self.read_new(connection)).await
    }

    async fn read_new(&self, connection: &mut PgConnection) -> Result<(), LogError> {
        let mut timer = PhaseTimer::start();
        let known = self.world.read().head;
        let read_head = follow_clock(&self.clock, store::head(connection), |head| head.clock);
        let (head, _) = with_timeout(HEAD_TIMEOUT, read_head).await?;
        if head.seq < known {
            return Err(LogError::HeadWentBack { found: head.seq, known });
        }
        timer.observe_phase(&METRICS.database.round_trip);
        METRICS.follower.set_lag(head.seq.events_since(self.world.read().head));
        self.apply_control_log(connection, head.control).await?;
        let result = self.read_up_to(connection, head.seq).await;
        // What was written under an old name is in memory only after the events were read.
        self.apply_names();
        self.publish_settings();
        result
    }

    /// Tells all streams of changed settings, unless events that come before the change have still to be
    /// applied: one of them may announce it. Another task, which reads those events, tells of it then.
    pub fn publish_settings(&self) {
        // Read before the check: settings that are newer than what is checked must not be told.
        let game = self.settings.game();
        if !self.has_events_before_changes() {
            return;
        }
        self.nouns.reloads.iter().for_each(|reload| reload.publish_settings(&self.hub, &game));
    }

    /// Reads and applies the events up to a committed head.
    pub async fn read_up_to(&self, connection: &mut PgConnection, head: Seq) -> Result<(), LogError> {
        let mut known = self.world.read().head;
        while known < head {
            let up_to = known.plus(EVENTS_PER_PAGE).min(head);
            let events = store::events(connection, self.nouns, known, up_to).await?;
            self.apply_committed(connection, &events).await;
            known = up_to;
        }
        // A world that cannot reach a committed head would stay behind for ever, so this is an error.
        let reached = self.world.read().head;
        if reached < head {
            return Err(LogError::Gap { reached, head });
        }
        Ok(self.read_outdated(connection).await?)
    }

    /// Reads again what events have left outdated.
    pub async fn read_outdated(&self, connection: &mut PgConnection) -> Result<(), sqlx::Error> {
        for reload in self.nouns.reloads {
            reload.read_after(connection, self.reload_context()).await?;
        }
        Ok(())
    }

    /// Applies committed events. What they outdate is read again first, so that a client that receives an
    /// event finds the state after it.
    pub async fn apply_committed(&self, connection: &mut PgConnection, events: &[Event]) {
        let mut replacements = Vec::new();
        for reload in self.nouns.reloads {
            let read = reload.read_before(connection, self.reload_context(), events);
            replacements.extend(with_step_timeout(read).await.ok().flatten());
        }
        self.apply(events, replacements);
    }

    fn reload_context(&self) -> ReloadContext<'_> {
        let now = self.clock.now();
        ReloadContext { world: &self.world, services: &self.services, hub: &self.hub, now }
    }

    /// Applies committed events and publishes them, both under the world's lock, so that the order is the
    /// same.
    fn apply(&self, events: &[Event], replacements: Vec<Replacement>) {
        let mut world = self.world.write();
        let known_count = events.partition_point(|event| event.seq() <= world.head);
        let has_waits = self.hub.waits.count() > 0;
        let mut covered_painters = Vec::new();
        let mut apply_one = |event: &&Event| {
            covered_painters.extend(has_waits.then(|| world.covered_painter(event)).flatten());
            world.apply(event)
        };
        // Those up to the head are known. After a gap, none can be applied.
        let (_, new) = events.split_at(known_count);
        let count = new.iter().take_while(&mut apply_one).count();
        let applied = &new[..count];
        // If events were ignored, what was read does not belong to the head that was reached.
        if events.last().is_some_and(|last| last.seq() == world.head) && !applied.is_empty() {
            replacements.into_iter().for_each(|replace| replace(&mut world));
        }
        metrics::count_events(applied);
        self.hub.publish(applied);
        self.hub.unread_changes.record_events(applied);
        self.hub.waits.publish(applied, &covered_painters);
    }

    /// Returns the number of the newest applied entry of the control log.
    pub fn control_head(&self) -> i64 {
        self.control_head.load(Ordering::Acquire)
    }

    /// Applies the entries of the control log after the newest known one, but for the names of the accounts
    /// that they are about, which wait for [`apply_names`](Self::apply_names).
    pub async fn apply_control_log(
        &self,
        connection: &mut PgConnection,
        newest: i64,
    ) -> Result<(), sqlx::Error> {
        let known = self.control_head();
        if known >= newest {
            return Ok(());
        }
        let entries = match store::control_entries_after(connection, known).await? {
            Some(entries) => entries,
            None => self.list_all_changes(connection).await?,
        };
        if entries.contains(&ControlEntry::SeasonChanged) {
            let (season_seq, season_state) = store::season_state(connection).await?;
            self.world.write().set_season_state(newest, season_seq, season_state);
        }
        if entries.contains(&ControlEntry::SettingsChanged) {
            let settings = store::settings(connection).await?;
            self.tell_after_head(connection).await?;
            self.settings.replace(newest, &settings);
        }
        let changed: Vec<AccountNo> = entries.iter().filter_map(|entry| entry.changed_account()).collect();
        let names = store::agent_names(connection, &changed).await?;
        if !names.is_empty() {
            self.tell_after_head(connection).await?;
        }
        for reload in self.nouns.reloads {
            reload.apply_control(connection, self.reload_context(), newest, &entries).await?;
        }
        self.pending_names.lock().extend(names);
        self.control_head.fetch_max(newest, Ordering::AcqRel);
        Ok(())
    }

    /// Returns entries about everything in memory that the control log can change, for an instance that was
    /// cut off until the entries that it has missed were deleted.
    async fn list_all_changes(
        &self,
        connection: &mut PgConnection,
    ) -> Result<Vec<ControlEntry>, sqlx::Error> {
        tracing::warn!("missed entries of the control log were deleted, reading everything again");
        let authors: Vec<String> = self.world.read().author_ids().iter().map(ToString::to_string).collect();
        let cached = self.nouns.reloads.iter().map(|reload| reload.cached_accounts(self.reload_context()));
        let mut accounts: Vec<AccountNo> = cached.flatten().collect();
        accounts.extend(store::account_numbers(connection, &authors).await?);
        accounts.sort_unstable();
        accounts.dedup();
        let mut entries = vec![ControlEntry::SeasonChanged, ControlEntry::SettingsChanged];
        entries.extend(self.world.write().missed_entries());
        entries.extend(accounts.into_iter().map(ControlEntry::AccountChanged));
        Ok(entries)
    }

    /// Lets what was just read be told only after the events up to the head as it is now. Another task may
    /// apply fewer of them at the same time.
    async fn tell_after_head(&self, connection: &mut PgConnection) -> Result<(), sqlx::Error> {
        let head = store::head(connection).await?;
        self.told_after.fetch_max(head.seq.0, Ordering::AcqRel);
        Ok(())
    }

    fn has_events_before_changes(&self) -> bool {
        self.world.read().head.0 >= self.told_after.load(Ordering::Acquire)
    }

    /// Sets the names that wait in all that is in memory, unless events that come before the change have
    /// still to be applied.
    pub fn apply_names(&self) {
        let names = {
            let mut pending = self.pending_names.lock();
            if pending.is_empty() || !self.has_events_before_changes() {
                return;
            }
            std::mem::take(&mut *pending)
        };
        let mut world = self.world.write();
        for (id, name) in &names {
            world.rename_author(id, name);
            self.hub.rename_author(id, name);
        }
    }

    /// Opens a connection that plans each of its few statements once, with index look-ups, because the number
    /// of rows of a batch cannot be predicted.
    pub async fn connect(&self) -> Result<PgConnection, sqlx::Error> {
        let planner_options = [
            ("plan_cache_mode", "force_generic_plan"),
            ("enable_hashjoin", "off"),
            ("enable_mergejoin", "off"),
        ];
        self.pool.connect_options().as_ref().clone().options(planner_options).connect().await
    }
}
