//! Signing in with name, password and code. Each attempt counts as wrong until it is checked, so that
//! guessing is slow, also from many addresses at the same time.

use std::convert::Infallible;
use std::net::IpAddr;
use std::time::Duration;

use caraplace_log::state::AppState;
use chrono::TimeDelta;
use platform::refusal::{Refusal, internal};
use platform::telemetry::METRICS;
use platform::tokens::{Blake3Hash, TokenKey, hex};
use rules::operators::{FIRST_OWNER_ID, FIRST_OWNER_NAME, is_valid_operator_name};
use rules::passwords::PasswordHash;
use tokio::sync::{Semaphore, SemaphorePermit};

use super::codes::{CodeSecret, TypedCode};
use super::devices::Device;
use super::sessions::StartedSession;
use super::store::accounts::{self, StoredOperator};
use super::{ALL_ADDRESSES, Operator, OperatorAuth, new_password, store};

/// The time that a password check waits for a thread. There is one for each check that may run.
const THREAD_TIMEOUT: Duration = Duration::from_secs(5);
/// The hash that is checked if there is no such operator or no password is set, so that this takes the same
/// time.
const DUMMY_HASH: &str = "$argon2id$v=19$m=19456,t=2,p=1$bm9ib2R5J3Mgc2FsdCE$\
    AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// The bounds on concurrent sign-ins of one process. A running password check may hold a database connection,
/// a thread and 19 MiB of memory; a waiting one holds none of them.
pub(super) struct SignInCapacity {
    running: Semaphore,
    waiting: Semaphore,
}

/// The permits of a password check.
struct SignInPermits<'a> {
    _waiting: SemaphorePermit<'a>,
    _running: SemaphorePermit<'a>,
}

/// The origin of a sign-in.
#[derive(Clone, Copy, Debug)]
pub struct SignInSource {
    pub address: IpAddr,
    /// The device, or `None` if the browser has not signed in before.
    pub device: Option<Device>,
}

/// The fields of a sign-in.
pub struct Credentials {
    /// The operator's name in any case; empty for the first owner.
    pub name: String,
    pub confirmation: Confirmation,
}

/// The proof of being an operator.
pub struct Confirmation {
    pub password: String,
    /// The code of an app or a recovery code; empty for operators without codes.
    pub code: String,
}

/// The reason why a sign-in failed.
#[derive(Debug)]
pub enum SignInError {
    /// Name, password or code are wrong, or there is no password and the console is disabled.
    WrongCredentials,
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

impl SignInCapacity {
    /// Returns the capacity for this number of running and of waiting checks.
    pub(super) fn new(running: usize, waiting: usize) -> Self {
        Self { running: Semaphore::new(running), waiting: Semaphore::new(running + waiting) }
    }

    /// Waits for permits of a check.
    ///
    /// # Errors
    /// `Overloaded` if too many wait.
    async fn acquire(&self) -> Result<SignInPermits<'_>, Refusal> {
        // The semaphore is never closed, so the only error is that all permits are taken.
        let waiting = self.waiting.try_acquire().map_err(|_| Refusal::Overloaded)?;
        let running = self.running.acquire().await.map_err(internal("waiting for a permit"))?;
        Ok(SignInPermits { _waiting: waiting, _running: running })
    }
}

impl SignInSource {
    /// Returns the names of the sign-in's own tally of wrong passwords and of the shared one, for the
    /// operator with this hash of its name. Tallies are stored in the database, for all instances.
    ///
    /// All addresses share a tally for the first owner, and one for each other name, whether an operator has
    /// it or not; an operator's known device has only its own. The tally of an address counts attempts at the
    /// first owner apart from those at others, because a sign-in sets it back.
    fn tally_names(&self, name_hash: Option<Blake3Hash>) -> [String; 2] {
        let address = self.address;
        match (self.device.filter(|device| device.name_hash == name_hash), name_hash) {
            (Some(device), _) => [device.tally_name(), device.tally_name()],
            (None, None) => [address.to_string(), ALL_ADDRESSES.to_owned()],
            (None, Some(name)) => [format!("{address} named"), format!("name {}", hex(&name))],
        }
    }
}

/// Returns the keyed hash of an operator's name, which is the same in any case; `None` for the first owner.
/// It is stored, and a password that was typed as a name could be guessed from a hash without a key.
fn hash_name_with(key: &TokenKey, name: &str) -> Option<Blake3Hash> {
    let lower = name.trim().to_ascii_lowercase();
    (!lower.is_empty() && lower != FIRST_OWNER_NAME).then(|| *key.mac(&lower).as_bytes())
}

impl OperatorAuth {
    /// Returns the hash of an operator's name as tallies and device cookies have it; `None` for the first
    /// owner.
    pub(super) fn hash_name(&self, name: &str) -> Option<Blake3Hash> {
        hash_name_with(&self.name_key, name)
    }

    /// Starts a session if name, password and code are right. The wrong attempts are counted for the device
    /// if it is known, else for the address, and for all addresses together. The counts are stored in the
    /// database, for all instances.
    ///
    /// # Errors
    /// The reason why the sign-in failed.
    pub async fn sign_in(
        &self,
        state: &AppState,
        source: SignInSource,
        credentials: Credentials,
    ) -> Result<StartedSession, SignInError> {
        let Credentials { name, confirmation } = credentials;
        let name_hash = self.hash_name(&name);
        let is_known = source.device.is_some_and(|device| device.name_hash == name_hash);
        let capacity = if is_known { &self.known_devices } else { &self.unknown_devices };
        // The permit comes before the query, because attempts wait there for one another and could take all
        // database connections.
        let permits = capacity.acquire().await?;
        let tallies = source.tally_names(name_hash);
        store::count_attempt(state, &tallies).await?.map_err(|wait| {
            METRICS.sign_in.locked.inc();
            SignInError::Locked { wait }
        })?;
        let name = if name_hash.is_some() { name.trim() } else { FIRST_OWNER_NAME };
        // The database knows more letters without case than the tallies.
        let stored = if is_valid_operator_name(name) {
            accounts::find_by_name(&state.pool, name).await?
        } else {
            None
        };
        let operator = self.check(state, stored, confirmation).await?;
        drop(permits);
        let device = self.devices.issue(name_hash, state.clock.now())?;
        let (address, password_hash) = (source.address.to_string(), operator.password_hash.as_deref());
        // The password may have been replaced while it was checked.
        let started = self.sessions.start(state, &operator.id, password_hash, &address, device).await?;
        let Some(started) = started else {
            METRICS.sign_in.wrong.inc();
            return Err(SignInError::WrongCredentials);
        };
        METRICS.sign_in.signed_in.inc();
        store::reset_tallies(state, &tallies).await?;
        Ok(started)
    }

    /// Checks password and code of a signed-in operator again, before it changes its own account. Wrong ones
    /// are counted for that operator, whatever the address.
    ///
    /// # Errors
    /// As of a sign-in.
    pub(super) async fn confirm(
        &self,
        state: &AppState,
        operator: &Operator,
        confirmation: Confirmation,
    ) -> Result<StoredOperator, SignInError> {
        let permits = self.known_devices.acquire().await?;
        let tally = format!("account {}", operator.id);
        let tallies = [tally.clone(), tally];
        store::count_attempt(state, &tallies).await?.map_err(|wait| SignInError::Locked { wait })?;
        let stored = accounts::find(&state.pool, &operator.id).await?;
        let stored = self.check(state, stored, confirmation).await?;
        drop(permits);
        store::reset_tallies(state, &tallies).await?;
        Ok(stored)
    }

    /// Hashes a new password on a thread for passwords, within the capacity of those who send it, so that
    /// strangers take none of signed-in operators.
    pub(super) async fn hash_new_password(
        &self,
        capacity: &SignInCapacity,
        password: String,
    ) -> Result<PasswordHash, Refusal> {
        let hash = new_password::hash(password)?;
        let _permits = capacity.acquire().await?;
        self.password_threads.run("hashing a password", THREAD_TIMEOUT, hash).await
    }

    /// Returns the operator if password and code are right. The code is looked at, and used up, only with the
    /// right password; until then nothing tells that the operator has codes.
    ///
    /// # Errors
    /// `WrongCredentials`.
    async fn check(
        &self,
        state: &AppState,
        stored: Option<StoredOperator>,
        confirmation: Confirmation,
    ) -> Result<StoredOperator, SignInError> {
        let Confirmation { password, code } = confirmation;
        let is_password = self.check_password(stored.as_ref(), password).await?;
        let Some(operator) = stored.filter(|_| is_password) else {
            METRICS.sign_in.wrong.inc();
            return Err(SignInError::WrongCredentials);
        };
        if operator.uses_codes && !self.use_code(state, &operator, &code).await? {
            METRICS.sign_in.wrong.inc();
            return Err(SignInError::WrongCredentials);
        }
        Ok(operator)
    }

    /// Returns true if a code is right and was not used before.
    async fn use_code(
        &self,
        state: &AppState,
        operator: &StoredOperator,
        code: &str,
    ) -> Result<bool, Refusal> {
        match TypedCode::parse(code) {
            TypedCode::OfApp(digits) => {
                let secret = self.decrypt_secret(operator);
                let step = secret.and_then(|secret| secret.find_step(&digits, state.clock.now()));
                let Some(step) = step else { return Ok(false) };
                Ok(accounts::use_step(&state.pool, &operator.id, step).await?)
            }
            TypedCode::Recovery(hash) => {
                let is_known = operator.recovery_hashes.iter().any(|known| known[..] == hash);
                Ok(is_known && accounts::use_recovery_code(&state.pool, &operator.id, &hash).await?)
            }
        }
    }

    /// Returns the secret of an operator's codes. `None` if there is none, or it was encrypted with a key
    /// that this server does not have.
    pub(super) fn decrypt_secret(&self, operator: &StoredOperator) -> Option<CodeSecret> {
        let encrypted = operator.totp_secret.as_deref()?;
        let secret = self.encryption.decrypt(encrypted, &operator.id);
        if secret.is_none() {
            tracing::warn!(operator = operator.name, "the secret of an operator's codes cannot be decrypted");
        }
        CodeSecret::from_bytes(&secret?)
    }

    /// Checks the password of an operator, `None` if there is no such one, on a thread of its own, because
    /// that takes tens of milliseconds and 19 MiB of memory.
    async fn check_password(
        &self,
        operator: Option<&StoredOperator>,
        password: String,
    ) -> Result<bool, Refusal> {
        let is_open = self.is_open();
        let own = operator.and_then(|operator| match &operator.password_hash {
            None if operator.id == FIRST_OWNER_ID => self.password.clone(),
            None => None,
            Some(stored) => PasswordHash::parse(stored),
        });
        let is_possible = is_open && own.is_some();
        let hash = own.or_else(|| PasswordHash::parse(DUMMY_HASH));
        let check = move || {
            METRICS.sign_in.hashed_passwords.inc();
            Ok::<_, Infallible>(hash.is_some_and(|hash| hash.verify(&password)) && is_possible)
        };
        self.password_threads.run("checking a password", THREAD_TIMEOUT, check).await
    }
}

#[cfg(test)]
mod tests {
    use platform::tokens::TokenKeys;

    use super::*;

    /// Returns the hash of a name on a server with this secret.
    fn hash_on(secret: u8, name: &str) -> Option<Blake3Hash> {
        hash_name_with(&TokenKeys::new(&[secret; 32]).derive("test", &[]), name)
    }

    fn hash_name(name: &str) -> Option<Blake3Hash> {
        hash_on(1, name)
    }

    #[test]
    fn dummy_hash_costs_as_much_as_a_password() {
        let dummy = PasswordHash::parse(DUMMY_HASH).unwrap();
        let real = PasswordHash::new("password", [1; 16]).unwrap();
        let parameters = |hash: &PasswordHash| hash.as_str().split('$').nth(3).unwrap().to_owned();
        assert_eq!(parameters(&dummy), parameters(&real));
    }

    #[test]
    fn names_are_the_same_in_any_case_and_the_first_owner_needs_none() {
        assert_eq!(hash_name(" Ada "), hash_name("aDA"));
        assert_ne!(hash_name("Ada"), hash_name("Bob"));
        assert_ne!(hash_on(1, "Ada"), hash_on(2, "Ada"), "it cannot be guessed without the key");
        for first in ["", " ", "owner", "Owner"] {
            assert_eq!(hash_name(first), None, "{first}");
        }
    }

    #[test]
    fn device_helps_its_own_operator_only() {
        let device = |name_hash| Some(Device { cookie_hash: [7; 32], name_hash });
        let tallies = |device, name| {
            let source = SignInSource { address: [192, 0, 2, 1].into(), device };
            source.tally_names(hash_name(name))
        };
        let [own, shared] = tallies(device(hash_name("Ada")), "ada");
        assert!(own == shared && own.starts_with("device "));
        for other in ["", "Bob"] {
            assert_eq!(tallies(device(hash_name("Ada")), other), tallies(None, other));
            assert_eq!(tallies(device(None), "Bob"), tallies(None, "Bob"));
        }
        assert_eq!(tallies(None, ""), ["192.0.2.1", "*"]);
        let [own, shared] = tallies(None, "Bob");
        assert!(own == "192.0.2.1 named" && shared.starts_with("name "));
    }
}
