//! Authentication of operators: passwords, codes, console sessions, operator keys, and limits on guessing;
//! and the operators themselves, with their roles.

pub mod codes;
pub mod devices;
pub mod invitations;
pub mod keys;
mod new_password;
pub mod own_account;
mod recording;
pub mod roster;
pub mod sessions;
pub mod sign_in;
mod store;

use caraplace_log::state::AppState;
use chrono::{DateTime, Utc};
use platform::clock::Clock;
use platform::config::Config;
use platform::encryption::EncryptionKeys;
use platform::refusal::{OperatorRefusal, Refusal};
use platform::tokens::{Blake3Hash, TokenKey, TokenKeys};
use platform::worker_pool::WorkerPool;
use rules::operators::{FIRST_OWNER_ID, OperatorRole, OperatorScope, OperatorScopes};
use rules::passwords::PasswordHash;
use serde::Serialize;
use utoipa::ToSchema;

use devices::DeviceCookies;
use keys::StartupKeys;
use sessions::OperatorSessions;
use sign_in::SignInCapacity;

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
/// The purpose of the key that hashes the names of operators.
const NAME_KEY_PURPOSE: &str = "caraplace 2026-11 names of operators";
/// The name of the tally that all addresses share.
const ALL_ADDRESSES: &str = "*";

/// Authentication of operators, for the console and the admin API.
pub struct OperatorAuth {
    /// The password of the first owner.
    password: Option<PasswordHash>,
    pub sessions: OperatorSessions,
    pub devices: DeviceCookies,
    pub startup_keys: StartupKeys,
    unknown_devices: SignInCapacity,
    known_devices: SignInCapacity,
    password_threads: WorkerPool,
    /// Hashes the names of operators.
    name_key: TokenKey,
    /// Encrypts the secrets of codes.
    encryption: EncryptionKeys,
}

/// An authenticated operator.
#[derive(Clone, Debug)]
pub struct Operator {
    /// `operator_…`.
    pub id: String,
    /// The name in the audit log: with a key, the operator's name with that of the key.
    pub name: String,
    pub role: OperatorRole,
    /// The scopes of the role, or those of them that the key has.
    pub scopes: OperatorScopes,
    /// The time at which the session or the key was created.
    pub since: DateTime<Utc>,
    /// The CSRF token that a browser sends with each change. Programs need none.
    pub csrf: Option<String>,
    /// The id of the session; `None` for a key.
    pub session_id: Option<String>,
    /// The hash of the session token or of the key. Requests are limited by this hash, so that operators do
    /// not share an address's limit.
    pub secret_hash: Blake3Hash,
}

impl Operator {
    /// Returns the operator of the command line, which can be used by anyone with access to the server's
    /// settings. It acts for the first owner.
    pub fn for_command_line(clock: &Clock) -> Self {
        Self {
            id: FIRST_OWNER_ID.to_owned(),
            name: "command line".to_owned(),
            role: OperatorRole::Owner,
            scopes: OperatorScopes::ALL,
            since: clock.now(),
            csrf: None,
            session_id: None,
            secret_hash: Blake3Hash::default(),
        }
    }

    /// Checks that the operator has a scope.
    ///
    /// # Errors
    /// `Operator`.
    pub fn check_scope(&self, scope: OperatorScope) -> Result<(), Refusal> {
        if self.scopes.contains(scope) { Ok(()) } else { Err(self.lacks(scope)) }
    }

    /// Checks that the operator has all scopes that it gives to a key or with a role.
    ///
    /// # Errors
    /// `Operator`.
    fn check_may_give(&self, scopes: OperatorScopes) -> Result<(), Refusal> {
        scopes.first_missing_in(self.scopes).map_or(Ok(()), |missing| Err(self.lacks(missing)))
    }

    /// Checks that the operator may change its own account: in a session, or with a key that may change all
    /// operators.
    ///
    /// # Errors
    /// `Operator`.
    pub fn check_own_account(&self) -> Result<(), Refusal> {
        if self.session_id.is_some() { Ok(()) } else { self.check_scope(OperatorScope::Own) }
    }

    /// Returns the refusal of what needs this scope.
    fn lacks(&self, scope: OperatorScope) -> Refusal {
        match self.session_id {
            Some(_) => OperatorRefusal::RoleLacksScope { role: self.role, scope }.into(),
            None => OperatorRefusal::KeyLacksScope { scope }.into(),
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
    /// The name of the operator who has made the key.
    pub operator: String,
    /// The scopes of the key. It has those of them that its operator still has.
    #[schema(value_type = Vec<OperatorScope>)]
    pub scopes: Vec<String>,
    pub created_at: DateTime<Utc>,
    /// The time of the last use, to the minute.
    pub used_at: Option<DateTime<Utc>>,
    pub revoked_at: Option<DateTime<Utc>>,
}

/// A session of an operator in a list.
#[derive(Debug)]
pub struct OperatorSession {
    /// The hash of its token, in hex.
    pub id: String,
    /// The address that has signed in.
    pub address: String,
    pub since: DateTime<Utc>,
    /// The time of the last use, to the minute.
    pub seen_at: DateTime<Utc>,
}

/// An invitation of an operator that can still be accepted.
#[derive(Debug, Serialize, ToSchema)]
pub struct OperatorInvitation {
    /// `invitation_…`.
    pub id: String,
    /// The role that the invited person gets.
    pub role: OperatorRole,
    /// The proposed name; null if there is none.
    pub name: Option<String>,
    /// The name of the operator who has sent the invitation.
    pub invited_by: String,
    pub created_at: DateTime<Utc>,
    pub expires_at: DateTime<Utc>,
}

/// An operator in a list.
#[derive(Debug, Serialize, ToSchema)]
pub struct OperatorInfo {
    /// `operator_…`.
    pub id: String,
    pub name: String,
    pub role: OperatorRole,
    /// True for the operator whose password is the setting `CARAPLACE_ADMIN_PASSWORD`.
    pub is_first_owner: bool,
    /// True if the operator signs in with a code, too.
    pub uses_codes: bool,
    pub created_at: DateTime<Utc>,
    /// The name of the operator who has sent the invitation; null for the first owner.
    pub invited_by: Option<String>,
    /// The time since which the operator cannot sign in; null for one who can.
    pub disabled_at: Option<DateTime<Utc>>,
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
            name_key: keys.derive(NAME_KEY_PURPOSE, &[]),
            encryption: EncryptionKeys::new(config.outgoing.webhook_key.as_ref(), keys),
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
}

/// Deletes expired sessions, tallies and invitations.
pub async fn sweep(state: &AppState) -> Result<(), sqlx::Error> {
    store::invitations::delete_expired(&state.pool, state.clock.now()).await?;
    store::delete_expired(state).await
}
