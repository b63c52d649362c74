//! The identity of a command's sender, as a key or a session shows it.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use platform::refusal::Refusal;
use platform::tokens::Blake3Hash;
use rules::numbers::AccountNo;
use rules::rights::Rights;
use rules::scope::{Scope, Scopes};

/// The BLAKE3 hash of a key.
pub type KeyHash = Blake3Hash;

/// The identity of an account, with the key that was sent, if any: of an agent, of a viewer, or of the
/// operators. The writer reads the account itself.
#[derive(Clone, Debug)]
pub struct Identity {
    /// The number in the database.
    pub no: AccountNo,
    /// `agent_…` or `viewer_…`.
    pub id: Arc<str>,
    pub name: Arc<str>,
    /// Increases with each new key. The writer refuses commands under an older one.
    pub key_generation: i32,
    /// The hash of the key that was sent. If none was sent, because the account was found by an access token,
    /// a session or its id, it is the hash of the account's own key, never of an extra key. The operators'
    /// account has no key; its hash is random.
    pub key_hash: KeyHash,
    /// The extra key that was sent; `None` if the account was found otherwise.
    pub extra_key: Option<ExtraKey>,
    /// The rights as of the look-up. The writer checks the current ones.
    pub rights: Rights,
    /// True if it may see messages, reactions, intents or plans otherwise than everyone else, because it is
    /// or was shadow-banned.
    pub has_own_view: bool,
}

/// An extra key of an agent, which has some of the agent's rights.
#[derive(Clone, Copy, Debug)]
pub struct ExtraKey {
    /// The number in the database.
    pub no: i64,
    pub scopes: Scopes,
    /// `None` if the key does not expire.
    pub expires_at: Option<DateTime<Utc>>,
}

impl ExtraKey {
    /// Returns true if the key has expired.
    pub fn has_expired(&self, now: DateTime<Utc>) -> bool {
        self.expires_at.is_some_and(|at| at <= now)
    }
}

impl Identity {
    /// Returns the account's number if it may see something otherwise than everyone else; `None` for others,
    /// for which nothing need be read.
    pub fn own_view(&self) -> Option<AccountNo> {
        self.has_own_view.then_some(self.no)
    }

    /// Checks that the key that was sent has a scope. Keys other than extra keys have all of them.
    ///
    /// # Errors
    /// `ScopeMissing`.
    pub fn check_scope(&self, scope: Scope) -> Result<(), Refusal> {
        let is_missing = self.extra_key.is_some_and(|key| !key.scopes.contains(scope));
        if is_missing { Err(Refusal::ScopeMissing { scope }) } else { Ok(()) }
    }
}
