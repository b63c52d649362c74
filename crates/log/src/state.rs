//! The application state: the event log, its projection, and the services that every feature needs.

use std::any::Any;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use caraplace_live::hub::Hub;
use parking_lot::RwLock;
use platform::clock::Clock;
use platform::config::{Config, GameSettings};
use platform::refusal::Refusal;
use platform::tokens::TokenKeys;
use rules::grid::Size;
use rules::names::NameKeys;
use rules::reports::networks::network_of;
use sqlx::PgPool;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

use crate::current_settings::CurrentSettings;
use crate::error::LogError;
use crate::identity::Identity;
use crate::nouns::Nouns;
use crate::services::Services;
use crate::world::World;
use crate::{EventLog, LogTasks, OpenedLog};

/// The maximum number of concurrent reads of many rows.
const MAX_SCANS: usize = 2;
/// The time that the database has to close its connections.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);
/// The context from which the key of address hashes is derived.
const ADDRESS_HASH_CONTEXT: &str = "caraplace 2026-11 traces of addresses";

/// The state that all features share.
pub struct AppState {
    /// The connections for reading.
    pub pool: PgPool,
    pub clock: Clock,
    /// The event log, which accepts commands.
    pub log: EventLog,
    /// The settings that can change while the server runs.
    pub settings: Arc<CurrentSettings>,
    /// The size of the next season's canvas, unless the operator who opens it sets another.
    pub next_canvas_size: Size,
    /// The projection of the log.
    pub world: Arc<RwLock<World>>,
    /// The services of nouns.
    services: Arc<Services>,
    /// The hub of the live stream.
    pub hub: Arc<Hub>,
    /// The keys with which tokens are issued.
    pub tokens: TokenKeys,
    scan_permits: Semaphore,
    /// The key for hashes of addresses, and of names that were erased.
    address_hash_key: [u8; 32],
}

impl AppState {
    /// Opens the event log and starts its tasks.
    pub async fn open(
        pool: PgPool,
        clock: Clock,
        config: &Config,
        nouns: &'static Nouns,
    ) -> Result<(Arc<Self>, LogTasks), LogError> {
        let OpenedLog { log, tasks, settings, world, services, hub, secret } =
            EventLog::open(pool.clone(), clock.clone(), config, nouns).await?;
        let state = Self {
            pool,
            clock,
            log,
            settings,
            next_canvas_size: config.size,
            world,
            services,
            hub,
            tokens: TokenKeys::new(&secret),
            scan_permits: Semaphore::new(MAX_SCANS),
            address_hash_key: blake3::derive_key(ADDRESS_HASH_CONTEXT, &secret),
        };
        Ok((Arc::new(state), tasks))
    }

    /// Stops the tasks of the log and closes the pool.
    pub async fn close(&self, tasks: &LogTasks) {
        tasks.follower.abort();
        tasks.writer.abort();
        // A database that hangs must not keep the process from stopping.
        let close = async { tokio::join!(self.log.stop_probing(), self.pool.close()) };
        let _ = timeout(CLOSE_TIMEOUT, close).await;
    }

    /// Returns the current game settings, which operators may change at any time.
    pub fn game(&self) -> GameSettings {
        self.settings.game()
    }

    /// Returns the service of this type, which one noun keeps.
    pub fn service<S: Any>(&self) -> &S {
        self.services.get::<S>()
    }

    /// Returns a number that increases with each season and each change of the settings. Pages that show both
    /// are rendered again when it changes.
    pub fn revision(&self) -> i64 {
        self.settings.current().control_head + self.world.read().season.seq.0
    }

    /// Returns a keyed hash of an address: it can be compared, but not reversed.
    pub fn hash_address(&self, address: IpAddr) -> [u8; 32] {
        *blake3::keyed_hash(&self.address_hash_key, address.to_string().as_bytes()).as_bytes()
    }

    /// Returns a keyed hash of the network of an address, or `None` if the address belongs to none.
    pub fn hash_network(&self, address: IpAddr) -> Option<[u8; 32]> {
        let network = network_of(address)?;
        Some(*blake3::keyed_hash(&self.address_hash_key, network.as_bytes()).as_bytes())
    }

    /// Returns keyed hashes of the keys of a name, under which the name of an erased account stays taken.
    pub fn hash_name_keys(&self, keys: &NameKeys) -> NameKeys {
        let hash = |key: &str| {
            let hash = blake3::keyed_hash(&self.address_hash_key, format!("name {key}").as_bytes());
            hash.to_hex().to_string()
        };
        NameKeys { folded: hash(&keys.folded), skeleton: hash(&keys.skeleton) }
    }

    /// Waits for a permit to read many rows, so that such reads do not use up all connections.
    pub async fn acquire_scan_permit(&self) -> Option<SemaphorePermit<'_>> {
        self.scan_permits.acquire().await.ok()
    }

    /// Checks that an account may act in the current season. The writer checks again.
    ///
    /// # Errors
    /// `SeasonOver`.
    pub fn check_season(&self, account: &Identity) -> Result<(), Refusal> {
        self.world.read().check_season(account.rights.kind, self.clock.now())
    }

    /// Reads the projection under its lock, and returns the result of `read`.
    pub fn read_world<T>(&self, read: impl FnOnce(&World) -> T) -> T {
        read(&self.world.read())
    }
}
