//! The numbered log: append behind the gate, read since a number, follow other instances.

pub mod control;
pub mod deed;
pub mod effects;
mod follow;
mod gate;
pub mod ground;
mod load;
mod store;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use bytes::Bytes;
use chrono::{DateTime, TimeDelta, Utc};
use governor::{DefaultDirectRateLimiter, Quota};
use parking_lot::RwLock;
use sqlx::{ConnectOptions, PgConnection, PgPool};
use tokio::sync::mpsc;

use crate::clock::Clock;
use crate::config::{Config, Game};
use crate::live::event::Event;
use crate::live::hub::Hub;
use crate::refusal::Refusal;
use crate::roster::{Agent, Roster};
use crate::rules::message::Message;
use crate::world::World;
use deed::{Deed, Entry, Outcome, Pending, Repeatable};
use effects::StoredAnswer;
use ground::{Account, IdempotencyKey};
pub use store::Span;

/// How often per second an unknown digest or key may send this instance to the database.
const REFRESHES_PER_SECOND: u32 = 200;
/// How many events are read at a time.
const PAGE: i64 = 5_000;
/// How far back a stream may resume, in events.
pub const RESUMABLE: i64 = 100_000;

/// The log and what is folded from it.
pub struct Log {
    pub pool: PgPool,
    pub clock: Clock,
    pub game: Game,
    pub world: RwLock<World>,
    pub roster: Roster,
    pub hub: Hub,
    /// Number of the newest entry of the control log that was read.
    control: AtomicI64,
    queue: mpsc::Sender<Box<dyn Entry>>,
    refreshes: DefaultDirectRateLimiter,
}

/// The tasks that keep a log going; they end when the log's queue is closed or they are aborted.
pub struct LogTasks {
    pub gate: tokio::task::JoinHandle<()>,
    pub follower: tokio::task::JoinHandle<()>,
}

impl Log {
    /// Folds the stored log, opening the first season if there is none, and starts to write and follow.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn open(
        pool: PgPool,
        clock: Clock,
        config: &Config,
    ) -> Result<(Arc<Self>, LogTasks), sqlx::Error> {
        let loaded = load::load(&pool, &clock, config).await?;
        let (sender, receiver) = mpsc::channel(gate::QUEUE);
        let rate = std::num::NonZeroU32::new(REFRESHES_PER_SECOND).unwrap_or(std::num::NonZeroU32::MIN);
        let log = Arc::new(Self {
            pool,
            clock,
            game: config.game,
            hub: Hub::new(loaded.world.head),
            world: RwLock::new(loaded.world),
            roster: Roster::default(),
            control: AtomicI64::new(loaded.control),
            queue: sender,
            refreshes: DefaultDirectRateLimiter::direct(Quota::per_second(rate)),
        });
        let tasks = LogTasks {
            gate: tokio::spawn(gate::run(log.clone(), receiver)),
            follower: tokio::spawn(follow::run(log.clone())),
        };
        Ok((log, tasks))
    }

    /// Whether one more write would be refused.
    pub fn is_overloaded(&self) -> bool {
        self.queue.capacity() == 0
    }

    /// How many writes wait.
    pub fn queued(&self) -> usize {
        gate::QUEUE - self.queue.capacity()
    }

    /// Brings a deed through the gate. An answer of success means: committed to disk.
    ///
    /// # Errors
    /// Why the deed was not done; nothing was spent.
    pub async fn perform<D: Deed>(
        &self,
        agent: &Agent,
        repeatable: Option<Repeatable>,
        deed: D,
    ) -> Result<Outcome<D::Done>, Refusal> {
        let (entry, reply) = Pending::new(agent, repeatable, deed);
        self.queue.try_send(Box::new(entry)).map_err(|_| Refusal::Overloaded)?;
        reply.await.unwrap_or(Err(Refusal::Unavailable))
    }

    /// The answer that was already given to an idempotency key.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn stored_answer(&self, key: &IdempotencyKey) -> Result<Option<StoredAnswer>, Refusal> {
        let mut connection = self.pool.acquire().await?;
        let now = self.clock.now();
        let mut answers = store::answers(&mut connection, std::slice::from_ref(key), now).await?;
        Ok(answers.remove(key))
    }

    /// Forgets answers that are older than a day.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn sweep_answers(&self) -> Result<u64, sqlx::Error> {
        store::sweep_answers(&self.pool, self.clock.now() - TimeDelta::hours(24)).await
    }

    /// Reads what other instances wrote, at a bounded rate. Says whether it looked.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn refresh(&self) -> Result<bool, Refusal> {
        if self.refreshes.check().is_err() {
            return Ok(false);
        }
        self.catch_up().await?;
        Ok(true)
    }

    /// Whether the database answers.
    ///
    /// # Errors
    /// When it does not.
    pub async fn ping(&self) -> Result<(), Refusal> {
        let mut connection = self.pool.acquire().await?;
        store::head(&mut connection).await?;
        Ok(())
    }

    /// Events after a number, from the database.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn events_after(&self, after: i64) -> Result<Vec<Event>, Refusal> {
        let mut connection = self.pool.acquire().await?;
        Ok(store::events(&mut connection, after, after + PAGE).await?)
    }

    /// The time, and what an agent may do next.
    ///
    /// # Errors
    /// `KeyInvalid` when the key was changed; or that the database cannot be read.
    pub async fn account(&self, agent: &Agent) -> Result<(DateTime<Utc>, Account), Refusal> {
        let mut connection = self.pool.acquire().await?;
        let offset = self.clock.offset();
        let (now, mut accounts) =
            store::accounts(&mut connection, &[agent.no], offset, DateTime::UNIX_EPOCH).await?;
        let account = accounts.remove(&agent.no);
        let valid = account.filter(|account| account.key_generation == agent.key_generation);
        valid.map(|account| (now, account)).ok_or(Refusal::KeyInvalid)
    }

    /// Messages whose texts are there, oldest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn messages(&self, span: &Span) -> Result<Vec<Message>, Refusal> {
        let mut connection = self.pool.acquire().await?;
        Ok(store::messages(&mut connection, span).await?)
    }

    /// Looks at the world at one moment.
    pub fn snapshot<T>(&self, look: impl FnOnce(&World) -> T) -> T {
        look(&self.world.read())
    }

    async fn catch_up(&self) -> Result<(), sqlx::Error> {
        let mut connection = self.pool.acquire().await?;
        let head = store::head(&mut connection).await?;
        self.read_control(&mut connection, head.control).await?;
        self.read_up_to(&mut connection, head.seq).await
    }

    async fn read_up_to(&self, connection: &mut PgConnection, head: i64) -> Result<(), sqlx::Error> {
        let mut known = self.world.read().head;
        while known < head {
            let events = store::events(connection, known, (known + PAGE).min(head)).await?;
            self.apply(&events);
            known = (known + PAGE).min(head);
        }
        Ok(())
    }

    async fn read_control(&self, connection: &mut PgConnection, newest: i64) -> Result<(), sqlx::Error> {
        let known = self.control.load(Ordering::Acquire);
        if known < newest {
            let changed = store::keys_changed(connection, known).await?;
            changed.into_iter().for_each(|agent| self.roster.forget(agent));
            self.control.fetch_max(newest, Ordering::AcqRel);
        }
        Ok(())
    }

    /// Folds committed events in and announces them, both under the world's lock so that the order is one.
    fn apply(&self, events: &[Event]) {
        let mut world = self.world.write();
        let fresh: Vec<Event> = events.iter().filter(|event| world.apply(event)).cloned().collect();
        self.hub.publish(&fresh);
    }

    async fn connect(&self) -> Result<PgConnection, sqlx::Error> {
        self.pool.connect_options().connect().await
    }
}

/// The JSON of an outcome, as it goes out.
///
/// # Errors
/// Never for the answers of this crate: they are plain data.
pub fn json<T: serde::Serialize>(outcome: &Outcome<T>) -> Result<Bytes, serde_json::Error> {
    match outcome {
        Outcome::Fresh(done) => Ok(serde_json::to_vec(done)?.into()),
        Outcome::Replayed(json) => Ok(json.clone()),
    }
}
