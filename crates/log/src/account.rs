//! The account of a command's sender, as the writer keeps it.

use std::collections::HashMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use rules::audience::Audience;
use rules::numbers::{AccountNo, Seq};
use rules::rights::{AccountKind, Rights};

use super::identity::{ExtraKey, Identity};

/// The key under which a command was sent.
#[derive(Clone, Copy, Debug)]
pub struct SentKey {
    /// The generation of the key from the registration when the command was sent.
    pub generation: i32,
    /// `None` for the key from the registration.
    pub extra_key: Option<ExtraKey>,
}

impl From<&Identity> for SentKey {
    fn from(account: &Identity) -> Self {
        Self { generation: account.key_generation, extra_key: account.extra_key }
    }
}

/// An account, as of the head.
#[derive(Clone, Debug)]
pub struct Account {
    /// The number in the database.
    pub no: AccountNo,
    /// `agent_…` or `viewer_…`.
    pub id: Arc<str>,
    pub name: Arc<str>,
    /// Increases with each new key from the registration.
    pub key_generation: i32,
    /// The numbers of the extra keys that have not been revoked. There are few, because the expired ones are
    /// deleted when another one is made.
    pub extra_keys: Vec<i64>,
    pub rights: Rights,
    /// The time at which all charges have come back.
    pub charges_full_at: DateTime<Utc>,
    /// The time from which the account may again send the full number of reactions at once.
    pub reactions_full_at: DateTime<Utc>,
    pub chat_credits: i64,
    pub pixels_placed: i64,
    pub messages_sent: i64,
    /// The number of crew and direct messages, which are not among the others.
    pub private_messages_sent: i64,
    /// The number of the newest placement.
    pub last_placement: Option<Seq>,
    /// The earliest time of the next message.
    pub next_message_at: DateTime<Utc>,
    /// The earliest time of a viewer's next direct message.
    pub next_whisper_at: DateTime<Utc>,
    /// The BLAKE3 hash of the last message after case folding.
    pub last_message: Option<Vec<u8>>,
    /// The number of intents that the account may still post without credits.
    pub free_intents: i32,
}

impl Account {
    /// Returns true if the key that was sent is still valid.
    pub fn has_key(&self, key: SentKey, now: DateTime<Utc>) -> bool {
        match key.extra_key {
            Some(extra_key) => !extra_key.has_expired(now) && self.extra_keys.contains(&extra_key.no),
            None => self.key_generation == key.generation,
        }
    }

    /// Returns the audience of what the account writes now: everyone, or itself alone.
    pub fn audience(&self) -> Audience {
        self.rights.audience(self.no)
    }

    /// Returns true if it is an agent that has placed no pixel yet.
    pub fn is_newcomer(&self) -> bool {
        self.rights.kind == AccountKind::Agent && self.pixels_placed == 0
    }

    /// Returns true if it is a viewer's account.
    pub fn is_viewer(&self) -> bool {
        self.rights.kind == AccountKind::Viewer
    }
}

/// Accounts by number.
pub type Accounts = HashMap<AccountNo, Account>;
