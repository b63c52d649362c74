//! Authentication of operators: the password, console sessions, operator keys, and limits on guessing.

pub mod devices;
pub mod keys;
pub mod sessions;
mod store;

use std::convert::Infallible;
use std::net::IpAddr;
use std::time::Duration;

use caraplace_log::state::AppState;
use chrono::{DateTime, TimeDelta, Utc};
use platform::clock::Clock;
use platform::config::Config;
use platform::refusal::{Refusal, internal};
use platform::telemetry::METRICS;
use platform::tokens::{Blake3Hash, TokenKeys};
use platform::worker_pool::WorkerPool;
use rules::passwords::PasswordHash;
use serde::Serialize;
use tokio::sync::Semaphore;
use utoipa::ToSchema;

use devices::{Device, DeviceCookies};
use keys::StartupKeys;
use sessions::OperatorSessions;

/// The maximum lifetime of a session, in seconds.
pub const MAX_SESSION_SECONDS: i64 = 12 * 3_600;
/// The time without use after which a session ends, in seconds.
pub(crate) const MAX_IDLE_SECONDS: i64 = 2 * 3_600;
/// The maximum number of concurrent password checks from unknown browsers, each on its own thread.
const MAX_CONCURRENT_SIGN_INS: usize = 2;
/// The maximum number of such sign-ins that wait for a check.
const MAX_WAITING_SIGN_INS: usize = 16;
/// The maximum number of concurrent password checks from known devices. Unknown browsers cannot use it up.
const MAX_CONCURRENT_DEVICE_SIGN_INS: usize = 1;
/// The maximum number of such sign-ins that wait for a check.
const MAX_WAITING_DEVICE_SIGN_INS: usize = 8;
/// The time that a password check waits for a thread. There is one for each check that may run.
const THREAD_TIMEOUT: Duration = Duration::from_secs(5);
/// The name of the tally that all addresses share.
const ALL_ADDRESSES: &str = "*";
/// The hash that is checked if no password is set, so that a disabled console takes the same time.
const DUMMY_HASH: &str = "$argon2id$v=19$m=19456,t=2,p=1$bm9ib2R5J3Mgc2FsdCE$\
    AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// Authentication of operators, for the console and the admin API.
pub struct OperatorAuth {
    password: Option<PasswordHash>,
    pub sessions: OperatorSessions,
    pub devices: DeviceCookies,
    pub startup_keys: StartupKeys,
    unknown_devices: SignInCapacity,
    known_devices: SignInCapacity,
    password_threads: WorkerPool,
}

/// The bounds on concurrent sign-ins of one process. A running password check may hold a database connection,
/// a thread and 19 MiB of memory; a waiting one holds none of them.
struct SignInCapacity {
    running: Semaphore,
    waiting: Semaphore,
}

impl SignInCapacity {
    fn new(running: usize, waiting: usize) -> Self {
        Self { running: Semaphore::new(running), waiting: Semaphore::new(running + waiting) }
    }
}

/// The origin of a sign-in.
#[derive(Clone, Copy, Debug)]
pub struct SignInSource {
    pub address: IpAddr,
    /// The device, or `None` if the browser has not signed in before.
    pub device: Option<Device>,
}

impl SignInSource {
    /// Returns the names of the sign-in's own tally of wrong passwords and of the shared one. All addresses
    /// share one tally; a known device has only its own. Tallies are stored in the database, for all
    /// instances.
    fn tally_names(&self) -> [String; 2] {
        match self.device {
            Some(device) => [device.tally_name(), device.tally_name()],
            None => [self.address.to_string(), ALL_ADDRESSES.to_owned()],
        }
    }
}

/// An authenticated operator.
#[derive(Clone, Debug)]
pub struct Operator {
    /// The name in the audit log.
    pub name: String,
    /// The time at which the session or the key was created.
    pub since: DateTime<Utc>,
    /// The CSRF token that a browser sends with each change. Programs need none.
    pub csrf: Option<String>,
    /// The hash of the session token or of the key. Requests are limited by this hash, so that operators do
    /// not share an address's limit.
    pub secret_hash: Blake3Hash,
}

impl Operator {
    /// Returns the operator of the command line, which can be used by anyone with access to the server's
    /// settings.
    pub fn for_command_line(clock: &Clock) -> Self {
        Self {
            name: "command line".to_owned(),
            since: clock.now(),
            csrf: None,
            secret_hash: Blake3Hash::default(),
        }
    }
}

/// An operator key in a list.
#[derive(Debug, Serialize, ToSchema)]
pub struct OperatorKey {
    /// `key_…`.
    pub id: String,
    /// The name that was given to the key.
    pub name: String,
    pub created_at: DateTime<Utc>,
    /// The time of the last use, to the minute.
    pub used_at: Option<DateTime<Utc>>,
    pub revoked_at: Option<DateTime<Utc>>,
}

/// The reason why a sign-in failed.
#[derive(Debug)]
pub enum SignInError {
    /// The password is wrong, or there is none and the console is disabled.
    WrongPassword,
    /// There were too many wrong passwords.
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
    /// Returns the authentication as configured.
    pub fn new(config: &Config, keys: &TokenKeys) -> Self {
        let password = config.admin_password.clone();
        let sessions = OperatorSessions::for_password(keys, password.as_ref());
        let devices = DeviceCookies::new(keys, password.as_ref());
        let unknown_devices = SignInCapacity::new(MAX_CONCURRENT_SIGN_INS, MAX_WAITING_SIGN_INS);
        let known_devices = SignInCapacity::new(MAX_CONCURRENT_DEVICE_SIGN_INS, MAX_WAITING_DEVICE_SIGN_INS);
        Self {
            password,
            sessions,
            devices,
            startup_keys: StartupKeys::default(),
            unknown_devices,
            known_devices,
            password_threads: WorkerPool::new(
                "password",
                MAX_CONCURRENT_SIGN_INS + MAX_CONCURRENT_DEVICE_SIGN_INS,
            ),
        }
    }

    /// Reads the hashes of the live keys, which identify older keys without a tag.
    pub async fn load_keys(&mut self, state: &AppState) -> Result<(), sqlx::Error> {
        self.startup_keys = StartupKeys::load(state).await?;
        Ok(())
    }

    /// Returns true if a password is set. Without one, the console is disabled and no key is valid.
    pub fn is_open(&self) -> bool {
        self.password.is_some()
    }

    /// Starts a session if the password is right. Each attempt counts as wrong until it is checked: for the
    /// device if it is known, else for the address and for all addresses together. The counts are stored in
    /// the database, for all instances.
    ///
    /// # Errors
    /// The reason why the sign-in failed.
    pub async fn sign_in(
        &self,
        state: &AppState,
        source: SignInSource,
        password: String,
    ) -> Result<sessions::StartedSession, SignInError> {
        let capacity = if source.device.is_some() { &self.known_devices } else { &self.unknown_devices };
        // The semaphore is never closed, so the only error is that all permits are taken.
        let waiting_permit = capacity.waiting.try_acquire().map_err(|_| Refusal::Overloaded)?;
        // The permit comes before the query, because attempts wait there for one another and could take all
        // database connections.
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

    /// Checks the password on a thread of its own, because that takes tens of milliseconds and 19 MiB of
    /// memory.
    async fn check_password(&self, password: String) -> Result<bool, Refusal> {
        let is_open = self.is_open();
        let hash = self.password.clone().or_else(|| PasswordHash::parse(DUMMY_HASH));
        let check = move || {
            METRICS.sign_in.hashed_passwords.inc();
            Ok::<_, Infallible>(hash.is_some_and(|hash| hash.verify(&password)) && is_open)
        };
        self.password_threads.run("checking a password", THREAD_TIMEOUT, check).await
    }
}

/// Deletes expired sessions and tallies.
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
