//! The event log: the writer appends to it, readers read it by sequence number, and the follower applies what
//! other instances write.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "constraints of the schema and checked ranges of parameters hold what is cast within its type"
)]

mod account;
pub mod audit;
pub mod audit_entry;
pub mod audit_reason;
pub mod batch_context;
pub mod batch_effects;
mod batch_pixels;
pub mod canvas;
pub mod check;
mod clock_watch;
pub mod command;
mod commit;
pub mod control;
pub mod control_entry;
pub mod current_settings;
pub mod error;
mod follower;
pub mod head_lock;
pub mod idempotency;
pub mod identity;
mod load;
mod metrics;
pub mod nouns;
pub mod part;
mod preview;
mod private_news;
pub mod projection;
mod projector;
pub mod reload;
pub mod reply_batcher;
pub mod season;
pub mod services;
pub mod sql_future;
pub mod state;
mod store;
mod timeout;
pub mod world;
mod write_health;
mod write_probe;
mod writer;
mod writer_cache;

use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU32};
use std::time::Duration;

use caraplace_live::event::Event;
use caraplace_live::hub::Hub;
use chrono::{DateTime, Utc};
use governor::{DefaultDirectRateLimiter, Quota};
use parking_lot::{Mutex, RwLock};
use platform::clock::Clock;
use platform::config::Config;
use platform::database;
use platform::refusal::Refusal;
use platform::telemetry::event_loops::watch_polls;
use rules::numbers::{AccountNo, Seq};
use sqlx::pool::PoolConnection;
use sqlx::{PgConnection, PgPool, Postgres, Transaction};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use batch_context::Account;
use batch_effects::IdempotencyKey;
use command::{Command, CommandOutcome, QueuedCommand, RepeatableRequest};
use current_settings::CurrentSettings;
use error::LogError;
use idempotency::{IdempotentRequest, InFlightKeys};
use identity::Identity;
use nouns::Nouns;
use projector::Projector;
use reply_batcher::{ErasedCommand, ReplyBatcher};
use services::Services;
pub use store::now as database_time;
use world::World;
pub use write_health::Unwritable;
use write_health::WriteHealth;
use write_probe::WriteProbe;
pub use write_probe::{PROBE_INTERVAL, PROBE_TIMEOUT};

/// The maximum number of requests per second that may read new events from the database. Each instance counts
/// separately.
const MAX_REFRESHES_PER_SECOND: NonZeroU32 = NonZeroU32::new(1_000).unwrap();
/// The maximum number of events over which a stream may resume.
pub const MAX_RESUMABLE_EVENTS: i64 = 100_000;

/// The event log: submits commands to the writer, and reads stored events.
pub struct EventLog {
    projector: Arc<Projector>,
    queue: mpsc::Sender<Box<dyn ErasedCommand>>,
    write_health: Arc<WriteHealth>,
    write_probe: Arc<WriteProbe>,
    refresh_limiter: DefaultDirectRateLimiter,
    in_flight: InFlightKeys,
}

/// The tasks of an open log. They never end by themselves; a task that ends has failed.
pub struct LogTasks {
    pub writer: JoinHandle<()>,
    pub follower: JoinHandle<()>,
}

/// An opened log, and the handles to its projections.
pub struct OpenedLog {
    pub log: EventLog,
    pub tasks: LogTasks,
    pub settings: Arc<CurrentSettings>,
    pub world: Arc<RwLock<World>>,
    /// The services of nouns.
    pub services: Arc<Services>,
    pub hub: Arc<Hub>,
    /// The secret that all instances share.
    pub secret: [u8; 32],
}

impl EventLog {
    /// Replays the stored log, opens the first season if there is none, and starts the writer and the
    /// follower.
    pub async fn open(
        pool: PgPool,
        clock: Clock,
        config: &Config,
        nouns: &'static Nouns,
    ) -> Result<OpenedLog, LogError> {
        let loaded = load::load(&pool, &clock, config, nouns).await?;
        metrics::record_at_head(clock.now());
        let hub = Arc::new(Hub::new(loaded.world.head, loaded.newest_own));
        let world = Arc::new(RwLock::new(loaded.world));
        let services = Arc::new(Services::new(nouns.services));
        let settings = Arc::new(loaded.settings);
        let projector = Arc::new(Projector {
            pool,
            clock,
            settings: settings.clone(),
            world: world.clone(),
            services: services.clone(),
            control_head: AtomicI64::new(loaded.control_head),
            pending_names: Mutex::default(),
            told_after: AtomicI64::default(),
            hub: hub.clone(),
            nouns,
            writer_process: AtomicU32::new(0),
        });
        projector.publish_settings();
        let (log, tasks) = Self::start(projector);
        Ok(OpenedLog { log, tasks, settings, world, services, hub, secret: loaded.secret })
    }

    fn start(projector: Arc<Projector>) -> (Self, LogTasks) {
        let (queue, receiver) = mpsc::channel(writer::QUEUE_CAPACITY);
        let write_health = Arc::new(WriteHealth::new());
        let writer = writer::run(projector.clone(), write_health.clone(), receiver);
        let tasks = LogTasks {
            writer: tokio::spawn(watch_polls("writer", writer)),
            follower: tokio::spawn(watch_polls("follower", follower::run(projector.clone()))),
        };
        let refresh_limiter = DefaultDirectRateLimiter::direct(Quota::per_second(MAX_REFRESHES_PER_SECOND));
        let write_probe = WriteProbe::new(projector.pool.clone()).into();
        let in_flight = InFlightKeys::default();
        (Self { projector, queue, write_health, write_probe, refresh_limiter, in_flight }, tasks)
    }

    /// Submits a command to the writer and waits for the reply, which comes through `reply_batcher` if there
    /// is one. Success means: committed to disk.
    ///
    /// # Errors
    /// The refusal of the command, `Overloaded` if the queue is full, or `Unavailable` and `Uncertain` if the
    /// database fails.
    pub async fn submit<C: Command>(
        &self,
        account: &Identity,
        repeatable: Option<RepeatableRequest>,
        command: C,
        reply_batcher: Option<ReplyBatcher>,
    ) -> Result<CommandOutcome<C::Output>, Refusal> {
        let (reply, receiver) = oneshot::channel();
        let command = QueuedCommand {
            agent_no: account.no,
            key: account.into(),
            repeatable,
            command,
            reply_batcher,
            decision: None,
            reply,
        };
        self.queue.try_send(Box::new(command)).map_err(|error| match error {
            TrySendError::Full(_) => metrics::count_overload(),
            TrySendError::Closed(_) => Refusal::Unavailable,
        })?;
        receiver.await.unwrap_or(Err(Refusal::Uncertain))
    }

    /// Returns true if the queue is full, so that one more command would be refused.
    pub fn is_overloaded(&self) -> bool {
        self.queue.capacity() == 0
    }

    /// Refuses a command at once if the queue is full.
    ///
    /// # Errors
    /// `Overloaded`.
    pub fn check_queue_capacity(&self) -> Result<(), Refusal> {
        if self.is_overloaded() { Err(metrics::count_overload()) } else { Ok(()) }
    }

    /// Returns the number of queued commands.
    pub fn queue_len(&self) -> usize {
        writer::QUEUE_CAPACITY - self.queue.capacity()
    }

    /// Returns the maximum number of queued commands.
    pub fn queue_capacity(&self) -> usize {
        writer::QUEUE_CAPACITY
    }

    /// Claims an idempotency key for a body, and reads the first success response under it, if there is one.
    ///
    /// # Errors
    /// `IdempotencyInFlight`, `IdempotencyKeyReused`, or `Unavailable` if the database cannot be read.
    pub async fn claim_idempotency_key(
        &self,
        key: IdempotencyKey,
        body: &[u8],
    ) -> Result<IdempotentRequest, Refusal> {
        let mut request = self.in_flight.claim(key, *blake3::hash(body).as_bytes())?;
        let RepeatableRequest { key, body_hash } = &request.repeatable;
        let now = self.projector.clock.now();
        let mut connection = self.connection().await?;
        let mut answers = store::answers(&mut connection, std::slice::from_ref(key), now).await?;
        let stored = answers.remove(key);
        if stored.as_ref().is_some_and(|answer| answer.body_hash != *body_hash) {
            return Err(Refusal::IdempotencyKeyReused);
        }
        request.stored_response = stored.map(|answer| answer.json);
        Ok(request)
    }

    /// Deletes stored responses whose idempotency keys have expired, and returns their number.
    pub async fn delete_expired_responses(&self) -> Result<u64, sqlx::Error> {
        store::delete_expired_responses(&self.projector.pool, self.projector.clock.now()).await
    }

    /// Deletes the stored responses to the requests of an account.
    pub async fn delete_responses_of(&self, account: AccountNo) -> Result<(), sqlx::Error> {
        store::delete_responses_of(&self.projector.pool, account).await
    }

    /// Commits a transaction that other instances must know of. It takes effect here at once, and elsewhere
    /// after the notification.
    ///
    /// # Errors
    /// `Uncertain` if the database did not answer.
    pub async fn commit(&self, transaction: Transaction<'_, Postgres>) -> Result<(), Refusal> {
        database::commit(transaction).await?;
        // If this fails, the follower does it.
        let _ = self.refresh().await;
        Ok(())
    }

    /// Commits a transaction that is private news for the accounts with these numbers. Their waiting calls
    /// are woken on every instance.
    ///
    /// # Errors
    /// `Uncertain` if the database did not answer, or its error.
    pub async fn commit_private_news(
        &self,
        mut transaction: Transaction<'_, Postgres>,
        accounts: &[AccountNo],
    ) -> Result<(), Refusal> {
        store::notify_private_news(&mut transaction, accounts).await?;
        self.commit(transaction).await?;
        self.projector.hub.announce_private_news(accounts);
        Ok(())
    }

    /// Reads and applies what other instances have written.
    ///
    /// # Errors
    /// `Overloaded` if there are too many such requests; `Unavailable` if the database cannot be read.
    pub async fn refresh(&self) -> Result<(), Refusal> {
        if self.refresh_limiter.check().is_err() {
            return Err(Refusal::Overloaded);
        }
        Ok(self.projector.catch_up().await?)
    }

    /// Applies everything that was committed before this call, on any instance. The connection may be in a
    /// transaction.
    ///
    /// # Errors
    /// `Unavailable` if the database cannot be read.
    pub async fn catch_up_on(&self, connection: &mut PgConnection) -> Result<(), Refusal> {
        Ok(self.projector.catch_up_on(connection).await?)
    }

    /// Checks that the database answers within a time.
    ///
    /// # Errors
    /// `Unavailable` if it does not, `Overloaded` if it has answered the follower lately.
    pub async fn ping(&self, time_limit: Duration) -> Result<(), Refusal> {
        let read_head = async { store::head(&mut *self.connection().await?).await };
        tokio::time::timeout(time_limit, read_head).await.unwrap_or(Err(sqlx::Error::PoolTimedOut))?;
        Ok(())
    }

    /// Returns the events between two numbers (the first excluded) from the database.
    pub async fn events_between(&self, after: Seq, up_to: Seq) -> Result<Vec<Event>, Refusal> {
        Ok(store::events(&mut *self.connection().await?, self.projector.nouns, after, up_to).await?)
    }

    /// Returns the events between two numbers (the first excluded) that are not placements, with their times.
    pub async fn events_except_placements(
        &self,
        after: Seq,
        up_to: Seq,
    ) -> Result<Vec<(DateTime<Utc>, Event)>, Refusal> {
        let mut connection = self.connection().await?;
        Ok(store::events_except_placements(&mut connection, self.projector.nouns, after, up_to).await?)
    }

    /// Returns the database's time and the account of a caller.
    ///
    /// # Errors
    /// `KeyInvalid` if the key has changed; `Unavailable` if the database cannot be read.
    pub async fn account(&self, caller: &Identity) -> Result<(DateTime<Utc>, Account), Refusal> {
        let mut connection = self.connection().await?;
        let account = store::accounts(&mut connection, &[caller.no]).await?.pop();
        // The time is read last, so that it is not before that of the account's last change.
        let now = store::now(&mut connection, self.projector.clock.offset()).await?;
        let valid = account.filter(|account| account.has_key(caller.into(), now));
        valid.map(|account| (now, account)).ok_or(Refusal::KeyInvalid)
    }

    /// Returns the number of the newest entry of the control log that this instance has applied.
    pub fn control_head(&self) -> i64 {
        self.projector.control_head()
    }

    /// Returns true if the log has reached an event's number, on any instance.
    pub async fn has_reached(&self, seq: Seq) -> Result<bool, Refusal> {
        if self.projector.world.read().head < seq {
            self.refresh().await?;
        }
        Ok(seq <= self.projector.world.read().head)
    }

    /// Applies the events that were committed before, on any instance.
    ///
    /// # Errors
    /// `Overloaded` if there are some, and too many requests make this instance catch up; `Unavailable` if
    /// the database cannot be read.
    pub async fn catch_up_if_behind(&self) -> Result<(), Refusal> {
        let head = store::head(&mut *self.connection().await?).await?;
        self.has_reached(head.seq).await.map(|_| ())
    }

    /// Stores a snapshot of the canvas if enough events were applied since event `stored_seq`. Returns the
    /// newest event of the last stored snapshot.
    pub async fn store_replay_snapshot(&self, stored_seq: Seq) -> Result<Seq, Refusal> {
        let due_snapshot = load::replay_snapshot_if_due(&self.projector.world.read(), stored_seq);
        let Some((season, snapshot)) = due_snapshot else { return Ok(stored_seq) };
        store::store_replay_snapshot(&mut *self.connection().await?, season, &snapshot).await?;
        Ok(snapshot.seq)
    }

    async fn connection(&self) -> Result<PoolConnection<Postgres>, sqlx::Error> {
        self.projector.pool.acquire().await
    }
}
