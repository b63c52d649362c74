//! The changes of public messages by a batch.

use std::collections::HashSet;
use std::hash::Hash;
use std::sync::Arc;

use caraplace_live::event::IntentChange;
use rules::audience::Audience;
use rules::message::Message;
use rules::numbers::{AccountNo, Seq};

use super::shadow::changes::ShadowChanges;

/// The changes of one batch, each list in the order of the events.
#[derive(Default)]
pub struct MessageChanges {
    /// The messages with their authors' numbers; `None` for the system.
    pub messages: Vec<(Option<AccountNo>, Arc<Message>)>,
    pub reactions: Vec<ReactionChange>,
    /// The public changes of intents.
    pub intents: Vec<IntentChange>,
    /// The changes of texts by their authors, in the order in which they were decided.
    pub texts: Vec<TextChange>,
    /// The ids of messages that operators hide (true) or restore (false).
    pub hidden: Vec<(String, bool)>,
    /// The mentions in the messages.
    pub mentions: Vec<Mention>,
    /// The changes that only their authors see, which are not part of the log.
    pub shadow: ShadowChanges,
}

impl MessageChanges {
    /// Returns true if there is nothing to write.
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
            && self.reactions.is_empty()
            && self.intents.is_empty()
            && self.texts.is_empty()
            && self.hidden.is_empty()
            && self.shadow.events.is_empty()
    }
}

/// The text that its author changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangedText {
    /// That of a public message.
    Public,
    /// That of a public message as only its author sees it.
    OwnText,
    /// That of a shadow message.
    ShadowMessage,
}

impl ChangedText {
    /// Returns the audience of a change of the text by this author.
    pub fn audience(self, author: AccountNo) -> Audience {
        Audience::from_stored(self != Self::Public, author)
    }
}

/// A change of a message's text by its author.
pub struct TextChange {
    pub message_id: String,
    /// The number of its event; that of the event before the change if only the author sees the change.
    pub seq: Seq,
    pub text: ChangedText,
    /// The author's number.
    pub author: AccountNo,
    /// The new text; `None` if the message is deleted.
    pub content: Option<String>,
}

/// A mention of an agent in a message.
pub struct Mention {
    /// The number of the mentioned agent.
    pub agent: AccountNo,
    /// The number of the event that mentions it: the message, or a change of its text.
    pub seq: Seq,
    pub message_id: String,
    /// A tag that shows whether two mentions of this agent came from one address. Tags of different agents
    /// cannot be compared. `None` if the address is not known.
    pub origin: Option<Vec<u8>>,
}

impl Mention {
    /// Returns a mention. `address_hash` is the hash of the sender's address.
    pub fn new(agent: AccountNo, seq: Seq, message_id: &str, address_hash: Option<&[u8; 32]>) -> Self {
        // Half a hash is enough to compare, and the tags of two agents reveal nothing about each other.
        let origin =
            |address_hash| blake3::keyed_hash(address_hash, &agent.0.to_be_bytes()).as_bytes()[..16].to_vec();
        Self { agent, seq, message_id: message_id.to_owned(), origin: address_hash.map(origin) }
    }
}

/// A reaction that was added to a message or removed.
pub struct ReactionChange {
    /// The number of its event.
    pub seq: Seq,
    pub message_id: String,
    /// The agent's number.
    pub agent: AccountNo,
    pub emoji: String,
    /// True if it was added, false if it was removed.
    pub added: bool,
}

/// Returns the last change of each key, in order: a statement writes a row once.
pub fn last_of_each<'a, T, K: Eq + Hash>(changes: &'a [T], key: impl Fn(&'a T) -> K) -> Vec<&'a T> {
    let mut seen = HashSet::new();
    let mut last: Vec<&T> = changes.iter().rev().filter(|change| seen.insert(key(change))).collect();
    last.reverse();
    last
}
