//! The changes of a batch of commands, collected before anything is written.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use bytes::Bytes;
use rules::message::Message;
use rules::numbers::{AccountNo, Seq};

use super::audit::AuditEntry;
use super::part::Parts;
use super::shadow_effects::ShadowEffects;
use crate::log::live::event::{Event, IntentChange, PlacementEvent, ReactionUpdate};

/// The changes of one batch, in the order of their sequence numbers.
#[derive(Default)]
pub struct BatchEffects {
    pub events: Vec<Event>,
    /// The accounts whose events they are, by the numbers of the events, if that is stored.
    pub event_authors: HashMap<Seq, AccountNo>,
    pub placements: Vec<NewPlacement>,
    /// The placements that show earlier ones again.
    pub restorations: Vec<Restoration>,
    /// The messages with their authors' numbers; `None` for the system.
    pub messages: Vec<(Option<AccountNo>, Arc<Message>)>,
    pub reactions: Vec<(ReactionChange, ReactionUpdate)>,
    /// The public changes of intents.
    pub intent_changes: Vec<IntentChange>,
    /// The changes of texts by their authors, in the order in which they were decided.
    pub text_changes: Vec<TextChange>,
    /// The mentions in the messages.
    pub mentions: Vec<Mention>,
    /// The numbers of the agents whose accounts changed.
    pub changed_accounts: HashSet<AccountNo>,
    pub answers: Vec<(IdempotencyKey, StoredResponse)>,
    /// The changes that only their authors see, which are not part of the log.
    pub shadow: ShadowEffects,
    /// The parts of nouns above the log.
    pub parts: Parts,
    /// The operators' actions, for the audit log.
    pub audit_entries: Vec<AuditEntry>,
}

impl BatchEffects {
    /// Returns true if there is nothing to write.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
            && self.shadow.events.is_empty()
            && !self.parts.has_changes()
            && self.answers.is_empty()
    }

    /// Returns true if all can be written with one statement: placements without links to others that they
    /// show again, without audit entries, and without changes of parts.
    pub(super) fn fits_one_statement(&self) -> bool {
        self.placements.len() == self.events.len()
            && self.restorations.is_empty()
            && self.audit_entries.is_empty()
            && !self.parts.has_changes()
    }

    /// Returns true if there is more to write than placements.
    pub fn has_chat_changes(&self) -> bool {
        self.placements.len() < self.events.len()
            || !self.shadow.events.is_empty()
            || self.parts.has_changes()
    }

    /// Returns the head after this batch, if it was at `before`.
    pub(super) fn new_head(&self, before: Seq) -> Seq {
        self.events.last().map_or(before, Event::seq)
    }
}

/// A placement, with links to the placement below it and to the previous one of its agent.
pub struct NewPlacement {
    /// The agent's number.
    pub agent: AccountNo,
    /// The number of the placement that it covers.
    pub covers: Option<Seq>,
    /// The number of the agent's previous placement.
    pub previous: Option<Seq>,
    /// The number of the plan that the painter has named.
    pub plan: Option<i64>,
    /// The event. Its agent is the shown painter, which is another one if a rollback corrects the pixel.
    pub event: PlacementEvent,
}

/// A placement by which a rollback corrects a pixel, so that an earlier one is visible again.
pub struct Restoration {
    /// The number of the new placement's event.
    pub seq: Seq,
    pub restored: RestoredPlacement,
}

/// An earlier placement that is visible again after a rollback or its undoing.
#[derive(Clone, Debug)]
pub struct RestoredPlacement {
    pub seq: Seq,
    /// Its agent's number.
    pub agent: AccountNo,
    /// `agent_…`.
    pub agent_id: Arc<str>,
}

/// A change of a message's text by its author.
pub struct TextChange {
    pub message_id: String,
    /// The number of its event; for a shadow message, that of the event before the change.
    pub seq: Seq,
    pub is_shadow_message: bool,
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
    /// The agent's number.
    pub agent: AccountNo,
    pub emoji: String,
    /// True if it was added, false if it was removed.
    pub added: bool,
}

/// The scope of an idempotency key: the same agent, route and key get the same response.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IdempotencyKey {
    /// The agent's number.
    pub agent: AccountNo,
    pub route: &'static str,
    pub key: String,
}

/// The first success response of a request with an idempotency key.
#[derive(Clone, Debug)]
pub struct StoredResponse {
    /// The BLAKE3 hash of the raw request body.
    pub body_hash: [u8; 32],
    /// The JSON of the response.
    pub json: Bytes,
}
