//! Who runs the place: the password, sessions of the console, keys of programs, and locks against guessing.

pub mod devices;
pub mod keys;
pub mod sessions;
mod store;

use std::net::IpAddr;

use chrono::{DateTime, TimeDelta, Utc};
use rules::passwords::PasswordHash;
use serde::Serialize;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use utoipa::ToSchema;

use crate::clock::Clock;
use crate::concurrency::join;
use crate::config::Config;
use crate::refusal::{Refusal, internal};
use crate::state::AppState;
use crate::telemetry::METRICS;
use crate::tokens::{Blake3Hash, TokenKeys};
use devices::{Device, DeviceCookies};
use keys::StartKeys;
use sessions::OperatorSessions;

/// How long a session lasts at most, in seconds.
pub const MAX_SESSION_SECONDS: i64 = 12 * 3_600;
/// How long it lasts without being used, in seconds.
pub const MAX_IDLE_SECONDS: i64 = 2 * 3_600;
/// So many passwords of strangers are judged at a time, each on a thread of its own…
const MAX_CONCURRENT_SIGN_INS: usize = 2;
/// …and so many sign-ins may wait for that.
const MAX_WAITING_SIGN_INS: usize = 16;
/// The same two bounds for browsers that have signed in before: strangers cannot use these up.
const MAX_CONCURRENT_DEVICE_SIGN_INS: usize = 1;
const MAX_WAITING_DEVICE_SIGN_INS: usize = 8;
/// The name of the tally that all addresses share.
const ALL_ADDRESSES: &str = "*";
/// Judged in place of a password where there is none, so that a closed console takes its time too.
const DUMMY_HASH: &str = "$argon2id$v=19$m=19456,t=2,p=1$bm9ib2R5J3Mgc2FsdCE$\
    AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// The door of the console.
pub struct OperatorAuth {
    password: Option<PasswordHash>,
    pub sessions: OperatorSessions,
    pub devices: DeviceCookies,
    pub start_keys: StartKeys,
    unknown_devices: SignInCapacity,
    known_devices: SignInCapacity,
}

/// The bounds on concurrent sign-ins of one process. A sign-in that is being judged may hold a database connection, a
/// thread and 19 MiB of memory. One that waits holds none of them.
struct SignInCapacity {
    running: Semaphore,
    waiting: Semaphore,
}

impl SignInCapacity {
    fn new(running: usize, waiting: usize) -> Self {
        Self { running: Semaphore::new(running), waiting: Semaphore::new(running + waiting) }
    }
}

/// Where a sign-in comes from.
#[derive(Clone, Copy, Debug)]
pub struct SignInSource {
    pub address: IpAddr,
    /// `None` unless the browser has signed in before.
    pub device: Option<Device>,
}

impl SignInSource {
    /// Returns the names of its own tally of wrong passwords and of the one that it shares: an address with all addresses,
    /// a browser that has signed in before with nothing but itself. Tallies are in the database, one for all instances.
    fn tally_names(&self) -> [String; 2] {
        match self.device {
            Some(device) => [device.tally_name(), device.tally_name()],
            None => [self.address.to_string(), ALL_ADDRESSES.to_owned()],
        }
    }
}

/// Somebody who may do what operators do.
#[derive(Clone, Debug)]
pub struct Operator {
    /// As the audit log names it.
    pub name: String,
    /// When it signed in, or when its key was made.
    pub since: DateTime<Utc>,
    /// What a browser shows with each change, to prove that it comes from the console's own pages. Programs need none.
    pub csrf: Option<String>,
    /// The hash of its session's token or of its key. Requests are counted under it, so that an operator does not share
    /// the limit of an address with others.
    pub secret_hash: Blake3Hash,
}

impl Operator {
    /// Whoever may run the program on the server's own settings.
    pub fn for_command_line(clock: &Clock) -> Self {
        Self {
            name: "command line".to_owned(),
            since: clock.now(),
            csrf: None,
            secret_hash: Blake3Hash::default(),
        }
    }
}

/// A key as it is listed.
#[derive(Debug, Serialize, ToSchema)]
pub struct OperatorKey {
    /// `key_…`.
    pub id: String,
    /// What it is for.
    pub name: String,
    pub created_at: DateTime<Utc>,
    /// To the minute.
    pub used_at: Option<DateTime<Utc>>,
    pub revoked_at: Option<DateTime<Utc>>,
}

/// Why nobody was signed in.
#[derive(Debug)]
pub enum SignInError {
    /// The password is wrong; or there is none, and the console is closed.
    WrongPassword,
    /// Too many were wrong.
    Locked {
        wait: TimeDelta,
    },
    Refused(Refusal),
}

impl From<Refusal> for SignInError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<sqlx::Error> for SignInError {
    fn from(error: sqlx::Error) -> Self {
        Self::Refused(error.into())
    }
}

impl OperatorAuth {
    /// As the settings have it.
    pub fn new(config: &Config, keys: &TokenKeys) -> Self {
        let password = config.admin_password.clone();
        let sessions = OperatorSessions::for_password(keys, password.as_ref());
        let devices = DeviceCookies::new(keys, password.as_ref());
        let unknown_devices = SignInCapacity::new(MAX_CONCURRENT_SIGN_INS, MAX_WAITING_SIGN_INS);
        let known_devices = SignInCapacity::new(MAX_CONCURRENT_DEVICE_SIGN_INS, MAX_WAITING_DEVICE_SIGN_INS);
        Self { password, sessions, devices, start_keys: StartKeys::default(), unknown_devices, known_devices }
    }

    /// Reads the hashes of the live keys, by which those from before keys had tags are told from guesses.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub async fn load_keys(&mut self, state: &AppState) -> Result<(), sqlx::Error> {
        self.start_keys = StartKeys::load(state).await?;
        Ok(())
    }

    /// Whether there is a password. Without one nobody comes in, with whatever key.
    pub fn is_open(&self) -> bool {
        self.password.is_some()
    }

    /// Starts a session for who knows the password. Each try counts as wrong until it is judged: for its device alone
    /// where the browser has signed in before, else for its address and for all strangers. The counts are in the
    /// database, one for all instances.
    ///
    /// # Errors
    /// Why not.
    pub async fn sign_in(
        &self,
        state: &AppState,
        source: SignInSource,
        password: String,
    ) -> Result<sessions::StartedSession, SignInError> {
        let capacity = if source.device.is_some() { &self.known_devices } else { &self.unknown_devices };
        // The semaphore is never closed: its only error is that all permits are taken.
        let waiting_permit = capacity.waiting.try_acquire().map_err(|_| Refusal::Overloaded)?;
        // Before the database is asked: strangers' tries wait there for one another, and would take all its connections.
        let running_permit = capacity.running.acquire().await.map_err(internal("waiting for a permit"))?;
        let tallies = source.tally_names();
        store::count_attempt(state, &tallies).await?.map_err(|wait| {
            METRICS.sign_in.locked.inc();
            SignInError::Locked { wait }
        })?;
        let is_correct = self.check_password(password).await?;
        drop((running_permit, waiting_permit));
        if !is_correct {
            METRICS.sign_in.wrong.inc();
            return Err(SignInError::WrongPassword);
        }
        METRICS.sign_in.signed_in.inc();
        store::reset_tallies(state, &tallies).await?;
        let device = self.devices.issue(state.clock.now())?;
        Ok(self.sessions.start(state, &source.address.to_string(), device).await?)
    }

    /// Off the threads that serve: it takes tens of milliseconds and some memory.
    async fn check_password(&self, password: String) -> Result<bool, Refusal> {
        let is_open = self.is_open();
        let hash = self.password.clone().or_else(|| PasswordHash::parse(DUMMY_HASH));
        let check = spawn_blocking(move || {
            METRICS.sign_in.hashed_passwords.inc();
            hash.is_some_and(|hash| hash.verify(&password)) && is_open
        });
        join("checking a password", check).await
    }
}

/// Forgets sessions that have ended, and tries that are forgiven.
///
/// # Errors
/// When the database cannot be written.
pub async fn sweep(state: &AppState) -> Result<(), sqlx::Error> {
    store::delete_expired(state).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dummy_hash_costs_as_much_as_a_password() {
        let dummy = PasswordHash::parse(DUMMY_HASH).unwrap();
        let real = PasswordHash::new("password", [1; 16]).unwrap();
        let parameters = |hash: &PasswordHash| hash.as_str().split('$').nth(3).unwrap().to_owned();
        assert_eq!(parameters(&dummy), parameters(&real));
    }
}
