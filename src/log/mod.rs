//! The numbered log: append behind the gate, read since a number, follow other instances.

pub mod audit;
pub mod check;
pub mod closed;
pub mod control;
pub mod deed;
pub mod desk;
pub mod effects;
pub mod error;
mod follow;
mod footing;
mod gate;
pub mod ground;
pub mod idempotency;
mod load;
mod measure;
mod pass;
mod projector;
pub mod roster;
pub mod settings;
pub mod shadow;
mod store;
mod timeout;
pub mod world;
mod write_health;

use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU32};
use std::time::Duration;

use chrono::{DateTime, Utc};
use governor::{DefaultDirectRateLimiter, Quota};
use parking_lot::RwLock;
use rules::message::Message;
use sqlx::pool::PoolConnection;
use sqlx::{PgPool, Postgres, Transaction};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use crate::clock::Clock;
use crate::config::Config;
use crate::database;
use crate::live::event::Event;
use crate::live::hub::{self, Hub};
use crate::refusal::Refusal;
use crate::telemetry::event_loops::watch_polls;
use deed::{Deed, Outcome, Pending, Repeatable};
use desk::{Desk, Entry};
use effects::IdempotencyKey;
use error::LogError;
use ground::Account;
use idempotency::{InFlight, Once};
use projector::Projector;
use roster::{Agent, Roster};
use settings::CurrentSettings;
use shadow::{Place, Shadow};
pub use store::{Span, time as database_time};
use world::World;
use write_health::WriteHealth;
pub use write_health::{Unwritable, WRITE_TIMEOUT};

/// Requests per second that may send this instance to the database for news. Each instance counts for itself.
const REFRESHES_PER_SECOND: NonZeroU32 = NonZeroU32::new(1_000).unwrap();
/// How far back a stream may resume, in events.
pub const RESUMABLE: i64 = 100_000;

/// The event log: submits commands to the writer, and reads what is written.
pub struct EventLog {
    projector: Arc<Projector>,
    queue: mpsc::Sender<Box<dyn Entry>>,
    write_health: Arc<WriteHealth>,
    refreshes: DefaultDirectRateLimiter,
    in_flight: InFlight,
}

/// The tasks that keep a log going. They do not end by themselves: one that does has failed.
pub struct LogTasks {
    pub gate: JoinHandle<()>,
    pub follower: JoinHandle<()>,
}

/// An opened log, and the handles to what is replayed from it.
pub struct OpenedLog {
    pub log: EventLog,
    pub tasks: LogTasks,
    pub settings: Arc<CurrentSettings>,
    pub world: Arc<RwLock<World>>,
    pub roster: Arc<Roster>,
    pub hub: Arc<Hub>,
    /// The secret that all instances share.
    pub secret: [u8; 32],
}

impl EventLog {
    /// Replays the stored log, opening the first season if there is none, and starts to write and follow.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn open(pool: PgPool, clock: Clock, config: &Config) -> Result<OpenedLog, LogError> {
        let loaded = load::load(&pool, &clock, config).await?;
        measure::at_head(clock.now());
        let hub = Arc::new(Hub::new(loaded.world.head));
        let world = Arc::new(RwLock::new(loaded.world));
        let roster = Arc::new(Roster::new(loaded.control));
        let settings = Arc::new(loaded.settings);
        let projector = Arc::new(Projector {
            pool,
            clock,
            settings: settings.clone(),
            world: world.clone(),
            roster: roster.clone(),
            hub: hub.clone(),
            writer_process: AtomicU32::new(0),
            whispered: AtomicI64::new(loaded.whispered),
        });
        let (log, tasks) = Self::start(projector);
        Ok(OpenedLog { log, tasks, settings, world, roster, hub, secret: loaded.secret })
    }

    fn start(projector: Arc<Projector>) -> (Self, LogTasks) {
        let (queue, queued) = mpsc::channel(gate::QUEUE);
        let write_health = Arc::new(WriteHealth::new());
        let write = gate::run(projector.clone(), write_health.clone(), queued);
        let tasks = LogTasks {
            gate: tokio::spawn(watch_polls("writer", write)),
            follower: tokio::spawn(watch_polls("follower", follow::run(projector.clone()))),
        };
        let refreshes = DefaultDirectRateLimiter::direct(Quota::per_second(REFRESHES_PER_SECOND));
        (Self { projector, queue, write_health, refreshes, in_flight: InFlight::default() }, tasks)
    }

    /// Brings a deed through the gate; who has a desk is answered there. An answer of success means: committed to
    /// disk.
    ///
    /// # Errors
    /// Why the deed was not done; nothing was spent.
    pub async fn submit<D: Deed>(
        &self,
        agent: &Agent,
        repeatable: Option<Repeatable>,
        deed: D,
        desk: Option<Desk>,
    ) -> Result<Outcome<D::Done>, Refusal> {
        let (reply, answer) = oneshot::channel();
        let (agent_no, key_generation) = (agent.no, agent.key_generation);
        let entry = Pending { agent_no, key_generation, repeatable, deed, desk, decision: None, reply };
        self.queue.try_send(Box::new(entry)).map_err(|error| match error {
            TrySendError::Full(_) => measure::overload(),
            TrySendError::Closed(_) => Refusal::Unavailable,
        })?;
        answer.await.unwrap_or(Err(Refusal::Uncertain))
    }

    /// Whether one more write would be refused.
    pub fn is_overloaded(&self) -> bool {
        self.queue.capacity() == 0
    }

    /// Refuses at once what could not be written in good time.
    ///
    /// # Errors
    /// `Overloaded`.
    pub fn check_room(&self) -> Result<(), Refusal> {
        if self.is_overloaded() { Err(measure::overload()) } else { Ok(()) }
    }

    /// How many writes wait.
    pub fn queued(&self) -> usize {
        gate::QUEUE - self.queue.capacity()
    }

    /// How many writes may wait.
    pub fn queue_capacity(&self) -> usize {
        gate::QUEUE
    }

    /// Whether something could be written within the last two seconds. Where nothing was, the head of the log is locked
    /// for a moment, at most once a second; the result is waited for no longer than `timeout`.
    ///
    /// # Errors
    /// Why nothing can be written.
    pub async fn check_writable(&self, timeout: Duration) -> Result<(), Unwritable> {
        self.write_health.attempt(&self.projector.pool);
        self.write_health.wait_for_attempt(timeout).await;
        self.write_health.verdict(self.is_overloaded())
    }

    /// Holds an idempotency key for a body, and reads the first success under it, if there was one.
    ///
    /// # Errors
    /// `IdempotencyInFlight`, `IdempotencyKeyReused`, or that the database cannot be read.
    pub async fn hold(&self, key: IdempotencyKey, body: &[u8]) -> Result<Once, Refusal> {
        let mut once = self.in_flight.hold(key, *blake3::hash(body).as_bytes())?;
        let Repeatable { key, body_hash } = &once.repeatable;
        let now = self.projector.clock.now();
        let mut connection = self.connection().await?;
        let mut answers = store::answers(&mut connection, std::slice::from_ref(key), now).await?;
        let stored = answers.remove(key);
        if stored.as_ref().is_some_and(|answer| answer.body_hash != *body_hash) {
            return Err(Refusal::IdempotencyKeyReused);
        }
        once.stored = stored.map(|answer| answer.json);
        Ok(once)
    }

    /// Forgets answers that no key stands for any more.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn sweep_answers(&self) -> Result<u64, sqlx::Error> {
        store::sweep_answers(&self.projector.pool, self.projector.clock.now()).await
    }

    /// Forgets from which address mentions came once no other one folds with them.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn forget_origins(&self) -> Result<u64, sqlx::Error> {
        store::forget_origins(&self.projector.pool, self.projector.clock.now()).await
    }

    /// Commits what others must know; it holds here from now on, and elsewhere within the time of a wake-up.
    ///
    /// # Errors
    /// `Uncertain` when the database did not answer.
    pub async fn seal(&self, transaction: Transaction<'_, Postgres>) -> Result<(), Refusal> {
        database::commit(transaction).await?;
        // Should this fail, the follower does it.
        let _ = self.refresh().await;
        Ok(())
    }

    /// Reads what other instances wrote.
    ///
    /// # Errors
    /// `Overloaded` when too many ask; or that the database cannot be read.
    pub async fn refresh(&self) -> Result<(), Refusal> {
        if self.refreshes.check().is_err() {
            return Err(Refusal::Overloaded);
        }
        Ok(self.projector.catch_up().await?)
    }

    /// Whether the database answers.
    ///
    /// # Errors
    /// When it does not.
    pub async fn ping(&self) -> Result<(), Refusal> {
        store::head(&mut *self.connection().await?).await?;
        Ok(())
    }

    /// Events after a number, from the database, a stream's page of them.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn events_after(&self, after: i64) -> Result<Vec<Event>, Refusal> {
        Ok(store::events(&mut *self.connection().await?, after, after + hub::PAGE as i64).await?)
    }

    /// Events after a number, up to another, that are no placements, with their times.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn others(&self, after: i64, upto: i64) -> Result<Vec<(DateTime<Utc>, Event)>, Refusal> {
        Ok(store::others(&mut *self.connection().await?, after, upto).await?)
    }

    /// The time, and what an agent may do next.
    ///
    /// # Errors
    /// `KeyInvalid` when the key was changed; or that the database cannot be read.
    pub async fn account(&self, agent: &Agent) -> Result<(DateTime<Utc>, Account), Refusal> {
        let mut connection = self.connection().await?;
        let now = store::time(&mut connection, self.projector.clock.offset()).await?;
        let account = store::accounts(&mut connection, &[agent.no]).await?.pop();
        let valid = account.filter(|account| account.key_generation == agent.key_generation);
        valid.map(|account| (now, account)).ok_or(Refusal::KeyInvalid)
    }

    /// Messages whose texts are there, oldest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn messages(&self, span: &Span) -> Result<Vec<Message>, Refusal> {
        Ok(store::messages(&mut *self.connection().await?, span).await?)
    }

    /// The messages with these numbers whose texts are there, oldest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn messages_at(&self, numbers: &[i64]) -> Result<Vec<Message>, Refusal> {
        Ok(store::messages_at(&mut *self.connection().await?, numbers).await?)
    }

    /// Whether an event's number has been given, as far as any instance knows.
    ///
    /// # Errors
    /// That the database cannot be read.
    pub async fn has_come_to(&self, seq: i64) -> Result<bool, Refusal> {
        if self.projector.world.read().head < seq {
            self.refresh().await?;
        }
        Ok(seq <= self.projector.world.read().head)
    }

    /// An author's newest shadow messages that stand after an event and before a place, newest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn shadows(
        &self,
        author: i64,
        after: i64,
        before: Place,
        limit: i64,
    ) -> Result<Vec<Shadow>, Refusal> {
        Ok(store::shadows(&mut *self.connection().await?, author, after, before, limit).await?)
    }

    /// Those of these shadow messages that were not said to all yet, in their order.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn shadows_with(&self, ids: &[String]) -> Result<Vec<Shadow>, Refusal> {
        Ok(store::shadows_with(&mut *self.connection().await?, ids).await?)
    }

    /// Where a message stands that an author is shown; none for what is not there.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn place_of(&self, author: i64, id: &str) -> Result<Option<Place>, Refusal> {
        Ok(store::place_of(&mut *self.connection().await?, author, id).await?)
    }

    /// Keeps the canvas as it is now, if enough has happened since event `kept`. Returns the newest event that is in
    /// what was kept last.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn keep_fold(&self, kept: i64) -> Result<i64, Refusal> {
        let worthwhile = load::worthwhile_fold(&self.projector.world.read(), kept);
        let Some((season, fold)) = worthwhile else { return Ok(kept) };
        store::keep_fold(&mut *self.connection().await?, season, &fold).await?;
        Ok(fold.seq)
    }

    async fn connection(&self) -> Result<PoolConnection<Postgres>, sqlx::Error> {
        self.projector.pool.acquire().await
    }
}
