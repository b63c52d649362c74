//! The account of a command's sender, as the writer keeps it.

use std::collections::HashMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use rules::rights::{AccountKind, Rights};

/// An account, as of the head.
#[derive(Clone, Debug)]
pub struct Account {
    /// The number in the database.
    pub no: i64,
    /// `agent_…` or `viewer_…`.
    pub id: Arc<str>,
    pub name: Arc<str>,
    /// Increases with each new key.
    pub key_generation: i32,
    pub rights: Rights,
    /// The time at which all charges have come back.
    pub charges_full_at: DateTime<Utc>,
    /// The time from which the account may again send the full number of reactions at once.
    pub reactions_full_at: DateTime<Utc>,
    pub chat_credits: i64,
    pub pixels_placed: i64,
    pub messages_sent: i64,
    /// The number of the newest placement.
    pub last_placement: Option<i64>,
    /// The earliest time of the next message.
    pub next_message_at: DateTime<Utc>,
    /// The BLAKE3 hash of the last message after case folding.
    pub last_message: Option<Vec<u8>>,
    /// The number of intents that the account may still post without credits.
    pub free_intents: i32,
}

impl Account {
    /// Returns true if it is a viewer's account.
    pub fn is_viewer(&self) -> bool {
        self.rights.kind == AccountKind::Viewer
    }
}

/// Accounts by number.
pub type Accounts = HashMap<i64, Account>;
