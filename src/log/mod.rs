//! The numbered log: append behind the gate, read since a number, follow other instances.

pub mod audit;
pub mod batch_context;
pub mod batch_effects;
pub mod check;
pub mod command;
mod commit;
pub mod control;
pub mod current_settings;
pub mod error;
mod follower;
pub mod head_lock;
pub mod idempotency;
pub mod key_cache;
mod load;
mod metrics;
mod projector;
pub mod reply_batcher;
pub mod shadow_message;
mod store;
mod timeout;
pub mod world;
mod write_health;
mod writer;
mod writer_cache;

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
use batch_context::Account;
use batch_effects::IdempotencyKey;
use command::{Command, CommandOutcome, PendingCommand, RequestIdentity};
use current_settings::CurrentSettings;
use error::LogError;
use idempotency::{IdempotentRequest, InFlightKeys};
use key_cache::{Agent, KeyCache};
use projector::Projector;
use reply_batcher::{QueuedCommand, ReplyBatcher};
use shadow_message::{ChatPosition, ShadowMessage};
pub use store::{MessageRange, now as database_time};
use world::World;
use write_health::WriteHealth;
pub use write_health::{Unwritable, WRITE_TIMEOUT};

/// Requests per second that may send this instance to the database for news. Each instance counts for itself.
const MAX_REFRESHES_PER_SECOND: NonZeroU32 = NonZeroU32::new(1_000).unwrap();
/// How far back a stream may resume, in events.
pub const MAX_RESUMABLE_EVENTS: i64 = 100_000;

/// The event log: submits commands to the writer, and reads what is written.
pub struct EventLog {
    projector: Arc<Projector>,
    queue: mpsc::Sender<Box<dyn QueuedCommand>>,
    write_health: Arc<WriteHealth>,
    refresh_limiter: DefaultDirectRateLimiter,
    in_flight: InFlightKeys,
}

/// The tasks that keep a log going. They do not end by themselves: one that does has failed.
pub struct LogTasks {
    pub writer: JoinHandle<()>,
    pub follower: JoinHandle<()>,
}

/// An opened log, and the handles to what is replayed from it.
pub struct OpenedLog {
    pub log: EventLog,
    pub tasks: LogTasks,
    pub settings: Arc<CurrentSettings>,
    pub world: Arc<RwLock<World>>,
    pub key_cache: Arc<KeyCache>,
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
        metrics::record_at_head(clock.now());
        let hub = Arc::new(Hub::new(loaded.world.head));
        let world = Arc::new(RwLock::new(loaded.world));
        let key_cache = Arc::new(KeyCache::new(loaded.control_head));
        let settings = Arc::new(loaded.settings);
        let projector = Arc::new(Projector {
            pool,
            clock,
            settings: settings.clone(),
            world: world.clone(),
            key_cache: key_cache.clone(),
            hub: hub.clone(),
            writer_process: AtomicU32::new(0),
            newest_shadow_message: AtomicI64::new(loaded.newest_shadow_message),
        });
        let (log, tasks) = Self::start(projector);
        Ok(OpenedLog { log, tasks, settings, world, key_cache, hub, secret: loaded.secret })
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
        (Self { projector, queue, write_health, refresh_limiter, in_flight: InFlightKeys::default() }, tasks)
    }

    /// Brings a deed through the gate; who has a desk is answered there. An answer of success means: committed to
    /// disk.
    ///
    /// # Errors
    /// Why the deed was not done; nothing was spent.
    pub async fn submit<C: Command>(
        &self,
        agent: &Agent,
        request_identity: Option<RequestIdentity>,
        command: C,
        reply_batcher: Option<ReplyBatcher>,
    ) -> Result<CommandOutcome<C::Output>, Refusal> {
        let (reply, receiver) = oneshot::channel();
        let (agent_no, key_generation) = (agent.no, agent.key_generation);
        let command = PendingCommand {
            agent_no,
            key_generation,
            request_identity,
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

    /// Whether one more write would be refused.
    pub fn is_overloaded(&self) -> bool {
        self.queue.capacity() == 0
    }

    /// Refuses at once what could not be written in good time.
    ///
    /// # Errors
    /// `Overloaded`.
    pub fn check_queue_capacity(&self) -> Result<(), Refusal> {
        if self.is_overloaded() { Err(metrics::count_overload()) } else { Ok(()) }
    }

    /// How many writes wait.
    pub fn queue_len(&self) -> usize {
        writer::QUEUE_CAPACITY - self.queue.capacity()
    }

    /// How many writes may wait.
    pub fn queue_capacity(&self) -> usize {
        writer::QUEUE_CAPACITY
    }

    /// Whether something could be written within the last two seconds. Where nothing was, the head of the log is locked
    /// for a moment, at most once a second; the result is waited for no longer than `timeout`.
    ///
    /// # Errors
    /// Why nothing can be written.
    pub async fn check_writable(&self, timeout: Duration) -> Result<(), Unwritable> {
        self.write_health.start_attempt(&self.projector.pool);
        self.write_health.wait_for_attempt(timeout).await;
        self.write_health.check(self.is_overloaded())
    }

    /// Holds an idempotency key for a body, and reads the first success under it, if there was one.
    ///
    /// # Errors
    /// `IdempotencyInFlight`, `IdempotencyKeyReused`, or that the database cannot be read.
    pub async fn claim_idempotency_key(
        &self,
        key: IdempotencyKey,
        body: &[u8],
    ) -> Result<IdempotentRequest, Refusal> {
        let mut request = self.in_flight.claim(key, *blake3::hash(body).as_bytes())?;
        let RequestIdentity { key, body_hash } = &request.identity;
        let now = self.projector.clock.now();
        let mut connection = self.connection().await?;
        let mut answers = store::answers(&mut connection, std::slice::from_ref(key), now).await?;
        let stored = answers.remove(key);
        if stored.as_ref().is_some_and(|answer| answer.body_hash != *body_hash) {
            return Err(Refusal::IdempotencyKeyReused);
        }
        request.stored_answer = stored.map(|answer| answer.json);
        Ok(request)
    }

    /// Forgets answers that no key stands for any more.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn delete_expired_answers(&self) -> Result<u64, sqlx::Error> {
        store::delete_expired_answers(&self.projector.pool, self.projector.clock.now()).await
    }

    /// Forgets from which address mentions came once no other one folds with them.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn clear_mention_origins(&self) -> Result<u64, sqlx::Error> {
        store::clear_mention_origins(&self.projector.pool, self.projector.clock.now()).await
    }

    /// Commits what others must know; it holds here from now on, and elsewhere within the time of a wake-up.
    ///
    /// # Errors
    /// `Uncertain` when the database did not answer.
    pub async fn commit(&self, transaction: Transaction<'_, Postgres>) -> Result<(), Refusal> {
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
        if self.refresh_limiter.check().is_err() {
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
        Ok(store::events(&mut *self.connection().await?, after, after + hub::MAX_BACKLOG_EVENTS as i64)
            .await?)
    }

    /// Events after a number, up to another, that are no placements, with their times.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn non_pixel_events(
        &self,
        after: i64,
        upto: i64,
    ) -> Result<Vec<(DateTime<Utc>, Event)>, Refusal> {
        Ok(store::non_pixel_events(&mut *self.connection().await?, after, upto).await?)
    }

    /// The time, and what an agent may do next.
    ///
    /// # Errors
    /// `KeyInvalid` when the key was changed; or that the database cannot be read.
    pub async fn account(&self, agent: &Agent) -> Result<(DateTime<Utc>, Account), Refusal> {
        let mut connection = self.connection().await?;
        let now = store::now(&mut connection, self.projector.clock.offset()).await?;
        let account = store::accounts(&mut connection, &[agent.no]).await?.pop();
        let valid = account.filter(|account| account.key_generation == agent.key_generation);
        valid.map(|account| (now, account)).ok_or(Refusal::KeyInvalid)
    }

    /// Messages whose texts are there, oldest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn messages(&self, range: &MessageRange) -> Result<Vec<Message>, Refusal> {
        Ok(store::messages(&mut *self.connection().await?, range).await?)
    }

    /// The messages with these numbers whose texts are there, oldest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn messages_by_seqs(&self, seqs: &[i64]) -> Result<Vec<Message>, Refusal> {
        Ok(store::messages_by_seqs(&mut *self.connection().await?, seqs).await?)
    }

    /// Whether an event's number has been given, as far as any instance knows.
    ///
    /// # Errors
    /// That the database cannot be read.
    pub async fn has_reached(&self, seq: i64) -> Result<bool, Refusal> {
        if self.projector.world.read().head < seq {
            self.refresh().await?;
        }
        Ok(seq <= self.projector.world.read().head)
    }

    /// An author's newest shadow messages that stand after an event and before a place, newest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn shadow_messages(
        &self,
        author: i64,
        after: i64,
        before: ChatPosition,
        limit: i64,
    ) -> Result<Vec<ShadowMessage>, Refusal> {
        Ok(store::shadow_messages(&mut *self.connection().await?, author, after, before, limit).await?)
    }

    /// Those of these shadow messages that were not said to all yet, in their order.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn shadow_messages_by_ids(&self, ids: &[String]) -> Result<Vec<ShadowMessage>, Refusal> {
        Ok(store::shadow_messages_by_ids(&mut *self.connection().await?, ids).await?)
    }

    /// Where a message stands that an author is shown; none for what is not there.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn chat_position(&self, author: i64, id: &str) -> Result<Option<ChatPosition>, Refusal> {
        Ok(store::chat_position(&mut *self.connection().await?, author, id).await?)
    }

    /// Keeps the canvas as it is now, if enough has happened since event `kept`. Returns the newest event that is in
    /// what was kept last.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn store_replay_snapshot(&self, stored_seq: i64) -> Result<i64, Refusal> {
        let due_snapshot = load::replay_snapshot_if_due(&self.projector.world.read(), stored_seq);
        let Some((season, snapshot)) = due_snapshot else { return Ok(stored_seq) };
        store::store_replay_snapshot(&mut *self.connection().await?, season, &snapshot).await?;
        Ok(snapshot.seq)
    }

    async fn connection(&self) -> Result<PoolConnection<Postgres>, sqlx::Error> {
        self.projector.pool.acquire().await
    }
}
