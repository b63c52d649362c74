//! The numbered log: append behind the gate, read since a number, follow other instances.

pub mod audit;
pub mod check;
pub mod closed;
pub mod control;
pub mod deed;
pub mod desk;
pub mod effects;
mod fold;
mod follow;
mod footing;
mod gate;
pub mod ground;
mod load;
mod measure;
mod pass;
pub mod roster;
pub mod settings;
pub mod shadow;
mod store;
pub mod world;
mod write_health;

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU32};

use chrono::{DateTime, Utc};
use governor::{DefaultDirectRateLimiter, Quota};
use parking_lot::RwLock;
use sqlx::{ConnectOptions, PgConnection, PgPool};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{Semaphore, SemaphorePermit, mpsc, watch};

use crate::clock::Clock;
use crate::config::live::Live;
use crate::config::{Config, Game};
use crate::live::event::Event;
use crate::live::hub::{self, Hub};
use crate::refusal::Refusal;
use crate::rules::grid::Size;
use crate::rules::message::Message;
use crate::rules::reports::networks::network_of;
use crate::rules::rights::Kind;
use crate::telemetry::event_loops::watch_polls;
use crate::tokens::TokenKeys;
use deed::{Deed, Entry, Outcome, Pending, Repeatable};
use desk::Desk;
use effects::StoredAnswer;
use ground::{Account, IdempotencyKey};
use roster::{Agent, Roster};
use settings::Chosen;
pub use store::Span;
use world::World;
use write_health::WriteHealth;
pub use write_health::{Unwritable, WRITE_TIMEOUT};

/// How often per second an unknown digest may send this instance to the database, how often an unknown key of each
/// kind, and how often a session that was not issued here. Each instance counts for itself.
const LOOK_UPS_PER_SECOND: u32 = 1_000;
/// How many readers of much there may be at a time.
const SCANS: usize = 2;
/// How many events are read at a time.
const PAGE: i64 = 5_000;
/// What the key of traces is derived for.
const TRACES: &str = "caraplace 2026-11 traces of addresses";
/// How far back a stream may resume, in events.
pub const RESUMABLE: i64 = 100_000;

/// The log and what is folded from it.
pub struct Log {
    pub pool: PgPool,
    pub clock: Clock,
    /// The settings that the server has started with.
    initial: Live,
    chosen: watch::Sender<Arc<Chosen>>,
    /// The canvas of the next season, unless whoever opens it wants another.
    pub next_size: Size,
    pub world: RwLock<World>,
    pub roster: Roster,
    pub hub: Hub,
    queue: mpsc::Sender<Box<dyn Entry>>,
    write_health: WriteHealth,
    /// The database's process that serves the gate: its wake-ups tell nothing new.
    writer: AtomicU32,
    /// The newest shadow message that its author was told of.
    whispered: AtomicI64,
    refreshes: DefaultDirectRateLimiter,
    look_ups: LookUps,
    scans: Semaphore,
    pub tokens: TokenKeys,
    /// Keys what stands for addresses.
    traces: [u8; 32],
}

/// Guesses at the keys of some do not keep others out.
struct LookUps {
    agents: DefaultDirectRateLimiter,
    viewers: DefaultDirectRateLimiter,
    operators: DefaultDirectRateLimiter,
    sessions: DefaultDirectRateLimiter,
}

/// The tasks that keep a log going. They do not end by themselves: one that does has failed.
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
        measure::at_head(clock.now());
        let (sender, receiver) = mpsc::channel(gate::QUEUE);
        let rate = NonZeroU32::new(LOOK_UPS_PER_SECOND).unwrap_or(NonZeroU32::MIN);
        let bounded = || DefaultDirectRateLimiter::direct(Quota::per_second(rate));
        let log = Arc::new(Self {
            pool,
            clock,
            initial: config.live(),
            chosen: watch::Sender::new(loaded.chosen),
            next_size: config.size,
            hub: Hub::new(loaded.world.head),
            world: RwLock::new(loaded.world),
            roster: Roster::new(loaded.control),
            queue: sender,
            write_health: WriteHealth::new(),
            writer: AtomicU32::new(0),
            whispered: AtomicI64::new(loaded.whispered),
            refreshes: bounded(),
            look_ups: LookUps {
                agents: bounded(),
                viewers: bounded(),
                operators: bounded(),
                sessions: bounded(),
            },
            scans: Semaphore::new(SCANS),
            tokens: TokenKeys::new(&loaded.secret),
            traces: blake3::derive_key(TRACES, &loaded.secret),
        });
        let tasks = LogTasks {
            gate: tokio::spawn(watch_polls("writer", gate::run(log.clone(), receiver))),
            follower: tokio::spawn(watch_polls("follower", follow::run(log.clone()))),
        };
        Ok((log, tasks))
    }

    /// The numbers of the game, which may change while it is played.
    pub fn game(&self) -> Game {
        self.chosen.borrow().live.game
    }

    /// What stands for an address where it must be known again, and cannot be told from it.
    pub fn trace_of(&self, address: IpAddr) -> [u8; 32] {
        *blake3::keyed_hash(&self.traces, address.to_string().as_bytes()).as_bytes()
    }

    /// Returns what stands for the network of an address in the same way; `None` if the address is in none.
    pub fn network_trace_of(&self, address: IpAddr) -> Option<[u8; 32]> {
        let network = network_of(address)?;
        Some(*blake3::keyed_hash(&self.traces, network.as_bytes()).as_bytes())
    }

    /// Whether one more write would be refused.
    pub fn is_overloaded(&self) -> bool {
        self.queue.capacity() == 0
    }

    /// How many writes wait.
    pub fn queued(&self) -> usize {
        gate::QUEUE - self.queue.capacity()
    }

    /// How many writes may wait.
    pub fn queue_capacity(&self) -> usize {
        gate::QUEUE
    }

    /// Brings a deed through the gate; who has a desk is answered there. An answer of success means: committed to
    /// disk.
    ///
    /// # Errors
    /// Why the deed was not done; nothing was spent.
    pub async fn perform<D: Deed>(
        &self,
        agent: &Agent,
        repeatable: Option<Repeatable>,
        deed: D,
        desk: Option<Desk>,
    ) -> Result<Outcome<D::Done>, Refusal> {
        let (entry, reply) = Pending::new(agent, repeatable, deed, desk);
        self.queue.try_send(Box::new(entry)).map_err(|error| match error {
            TrySendError::Full(_) => measure::overload(),
            TrySendError::Closed(_) => Refusal::Unavailable,
        })?;
        reply.await.unwrap_or(Err(Refusal::Uncertain))
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

    /// Forgets answers that no key stands for any more.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn sweep_answers(&self) -> Result<u64, sqlx::Error> {
        store::sweep_answers(&self.pool, self.clock.now()).await
    }

    /// Forgets from which address mentions came once no other one folds with them.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn forget_origins(&self) -> Result<u64, sqlx::Error> {
        store::forget_origins(&self.pool, self.clock.now()).await
    }

    /// Reads what other instances wrote.
    ///
    /// # Errors
    /// `Overloaded` when too many ask; or that the database cannot be read.
    pub async fn refresh(&self) -> Result<(), Refusal> {
        self.refreshes.check().map_err(|_| Refusal::Overloaded)?;
        Ok(self.catch_up().await?)
    }

    /// Lets one more unknown key be looked up, which may be that of one of these.
    ///
    /// # Errors
    /// `Overloaded` when too many are.
    pub fn admit_look_up(&self, kind: Kind) -> Result<(), Refusal> {
        let limit = match kind {
            Kind::Agent => &self.look_ups.agents,
            Kind::Viewer => &self.look_ups.viewers,
            Kind::Operator => &self.look_ups.operators,
        };
        limit.check().map_err(|_| Refusal::Overloaded)
    }

    /// Lets one more session be looked up that does not bear the tag of those issued here.
    ///
    /// # Errors
    /// `Overloaded` when too many are.
    pub fn admit_session_look_up(&self) -> Result<(), Refusal> {
        self.look_ups.sessions.check().map_err(|_| Refusal::Overloaded)
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

    /// Events after a number, from the database, a stream's page of them.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn events_after(&self, after: i64) -> Result<Vec<Event>, Refusal> {
        let _turn = self.scan().await;
        let mut connection = self.pool.acquire().await?;
        Ok(store::events(&mut connection, after, after + hub::PAGE as i64).await?)
    }

    /// Events after a number, up to another, that are no placements, with their times.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn others(&self, after: i64, upto: i64) -> Result<Vec<(DateTime<Utc>, Event)>, Refusal> {
        let mut connection = self.pool.acquire().await?;
        Ok(store::others(&mut connection, after, upto).await?)
    }

    /// The time, and what an agent may do next.
    ///
    /// # Errors
    /// `KeyInvalid` when the key was changed; or that the database cannot be read.
    pub async fn account(&self, agent: &Agent) -> Result<(DateTime<Utc>, Account), Refusal> {
        let mut connection = self.pool.acquire().await?;
        let offset = self.clock.offset();
        let now = store::time(&mut connection, offset).await?;
        let account = store::accounts(&mut connection, &[agent.no]).await?.pop();
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

    /// The messages with these numbers whose texts are there, oldest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn messages_at(&self, numbers: &[i64]) -> Result<Vec<Message>, Refusal> {
        let mut connection = self.pool.acquire().await?;
        Ok(store::messages_at(&mut connection, numbers).await?)
    }

    /// Whether an event's number has been given, as far as any instance knows.
    ///
    /// # Errors
    /// That the database cannot be read.
    pub async fn has_come_to(&self, seq: i64) -> Result<bool, Refusal> {
        if self.world.read().head < seq {
            self.refresh().await?;
        }
        Ok(seq <= self.world.read().head)
    }

    /// Waits for a turn to read much: such reading must not take all connections from the rest.
    pub async fn scan(&self) -> Option<SemaphorePermit<'_>> {
        self.scans.acquire().await.ok()
    }

    /// Passes those who may act in the season as it is now; the gate looks again.
    ///
    /// # Errors
    /// `SeasonOver`.
    pub fn check_season(&self, agent: &Agent) -> Result<(), Refusal> {
        self.world.read().check_season(agent.rights.kind, self.clock.now())
    }

    /// Looks at the world at one moment.
    pub fn snapshot<T>(&self, look: impl FnOnce(&World) -> T) -> T {
        look(&self.world.read())
    }

    /// Folds committed events in and announces them, both under the world's lock so that the order is one.
    fn apply(&self, events: &[Event], newest: Option<Vec<Message>>) {
        let mut world = self.world.write();
        let fresh: Vec<Event> = events.iter().filter(|event| world.apply(event)).cloned().collect();
        if let (Some(messages), Some(last)) = (newest, fresh.last()) {
            world.refill(last.seq(), messages);
        }
        measure::events(&fresh);
        self.hub.publish(&fresh);
    }

    /// A connection that plans each of its few statements once, and by the keys that they name: how many rows a
    /// batch will have cannot be guessed.
    async fn connect(&self) -> Result<PgConnection, sqlx::Error> {
        let by_key = [
            ("plan_cache_mode", "force_generic_plan"),
            ("enable_hashjoin", "off"),
            ("enable_mergejoin", "off"),
        ];
        self.pool.connect_options().as_ref().clone().options(by_key).connect().await
    }
}
