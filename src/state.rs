//! The application state: the event log, what is replayed from it, and what every feature needs besides.

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use governor::{DefaultKeyedRateLimiter, Quota};
use parking_lot::RwLock;
use rules::grid::Size;
use rules::reports::networks::network_of;
use rules::rights::AccountKind;
use sqlx::PgPool;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

use crate::clock::Clock;
use crate::config::{Config, Game};
use crate::live::hub::Hub;
use crate::log::error::LogError;
use crate::log::roster::{Agent, Roster};
use crate::log::settings::CurrentSettings;
use crate::log::world::World;
use crate::log::{EventLog, LogTasks, OpenedLog};
use crate::refusal::Refusal;
use crate::tokens::TokenKeys;

/// Database look-ups per second for unknown keys of each kind, and for sessions that were not issued here. Each
/// instance counts for itself.
const LOOK_UPS_PER_SECOND: NonZeroU32 = NonZeroU32::new(1_000).unwrap();
/// Concurrent reads of many rows.
const MAX_SCANS: usize = 2;
/// How long the database may take to close its connections.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);
/// The purpose of the key of traces.
const TRACES: &str = "caraplace 2026-11 traces of addresses";

/// The state that all features share.
pub struct AppState {
    pub pool: PgPool,
    pub clock: Clock,
    pub log: EventLog,
    pub settings: Arc<CurrentSettings>,
    /// The size of the next season's canvas, unless the operator who opens it names another.
    pub next_size: Size,
    pub world: Arc<RwLock<World>>,
    pub roster: Arc<Roster>,
    pub hub: Arc<Hub>,
    pub tokens: TokenKeys,
    /// Limits look-ups by the kind of the key, or none for sessions: guesses at the keys of one kind do not keep the
    /// others out.
    look_ups: DefaultKeyedRateLimiter<Option<AccountKind>>,
    scans: Semaphore,
    /// Keys the hashes that stand for addresses.
    trace_key: [u8; 32],
}

impl AppState {
    /// Opens the event log and starts its tasks.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn open(
        pool: PgPool,
        clock: Clock,
        config: &Config,
    ) -> Result<(Arc<Self>, LogTasks), LogError> {
        let OpenedLog { log, tasks, settings, world, roster, hub, secret } =
            EventLog::open(pool.clone(), clock.clone(), config).await?;
        let state = Self {
            pool,
            clock,
            log,
            settings,
            next_size: config.size,
            world,
            roster,
            hub,
            tokens: TokenKeys::new(&secret),
            look_ups: DefaultKeyedRateLimiter::keyed(Quota::per_second(LOOK_UPS_PER_SECOND)),
            scans: Semaphore::new(MAX_SCANS),
            trace_key: blake3::derive_key(TRACES, &secret),
        };
        Ok((Arc::new(state), tasks))
    }

    /// Stops the tasks of the log and closes the pool.
    pub async fn close(&self, tasks: &LogTasks) {
        tasks.follower.abort();
        tasks.gate.abort();
        // A database that hangs must not keep the process from stopping.
        let _ = timeout(CLOSE_TIMEOUT, self.pool.close()).await;
    }

    /// Returns the current numbers of the game, which operators may change at any time.
    pub fn game(&self) -> Game {
        self.settings.game()
    }

    /// Returns a number that rises with each season and each change of the settings: pages that show both are rendered
    /// anew then.
    pub fn edition(&self) -> i64 {
        self.settings.current().as_of + self.world.read().season.seq
    }

    /// Returns a keyed hash that stands for an address: it can be compared, but not reversed.
    pub fn trace_of(&self, address: IpAddr) -> [u8; 32] {
        *blake3::keyed_hash(&self.trace_key, address.to_string().as_bytes()).as_bytes()
    }

    /// Returns a keyed hash that stands for the network of an address; `None` if the address is in none.
    pub fn network_trace_of(&self, address: IpAddr) -> Option<[u8; 32]> {
        let network = network_of(address)?;
        Some(*blake3::keyed_hash(&self.trace_key, network.as_bytes()).as_bytes())
    }

    /// Admits a look-up of one more unknown key of this kind.
    ///
    /// # Errors
    /// `Overloaded` when there are too many.
    pub fn admit_look_up(&self, kind: AccountKind) -> Result<(), Refusal> {
        self.admit(Some(kind))
    }

    /// Admits a look-up of one more session that does not bear the tag of those issued here.
    ///
    /// # Errors
    /// `Overloaded` when there are too many.
    pub fn admit_session_look_up(&self) -> Result<(), Refusal> {
        self.admit(None)
    }

    fn admit(&self, kind: Option<AccountKind>) -> Result<(), Refusal> {
        self.look_ups.check_key(&kind).ok().ok_or(Refusal::Overloaded)
    }

    /// Waits for a permit to read many rows: such reads must not take all connections from the rest.
    pub async fn scan(&self) -> Option<SemaphorePermit<'_>> {
        self.scans.acquire().await.ok()
    }

    /// Checks that an agent may act in the season as it is now. The writer checks again.
    ///
    /// # Errors
    /// `SeasonOver`.
    pub fn check_season(&self, agent: &Agent) -> Result<(), Refusal> {
        self.world.read().check_season(agent.rights.kind, self.clock.now())
    }

    /// Reads the projection at one moment.
    pub fn snapshot<T>(&self, look: impl FnOnce(&World) -> T) -> T {
        look(&self.world.read())
    }
}
