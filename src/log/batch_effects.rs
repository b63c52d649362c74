//! What a batch of writes changes, gathered before anything is written.

use std::collections::HashSet;
use std::sync::Arc;

use bytes::Bytes;
use rules::message::Message;

use super::audit::AuditEntry;
use super::shadow_message::ShadowMessage;
use crate::live::event::{Event, PlacementEvent, ReactionUpdate};

/// The changes of one batch, in the order of their numbers.
#[derive(Default)]
pub struct BatchEffects {
    pub events: Vec<Event>,
    pub placements: Vec<NewPlacement>,
    /// With the author's number; none for the system.
    pub messages: Vec<(Option<i64>, Arc<Message>)>,
    pub reactions: Vec<(ReactionChange, ReactionUpdate)>,
    /// The mentions in the messages.
    pub mentions: Vec<Mention>,
    /// The agents whose accounts changed.
    pub changed_accounts: HashSet<i64>,
    pub answers: Vec<(IdempotencyKey, StoredAnswer)>,
    /// What was said beside the log.
    pub shadow_messages: Vec<ShadowMessage>,
    /// What of it is said after all: its id, and the number of its event.
    pub released_shadow_messages: Vec<(String, i64)>,
    /// What operators did, for the audit log.
    pub audit_entries: Vec<AuditEntry>,
}

impl BatchEffects {
    /// Whether nothing is to be written.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty() && self.shadow_messages.is_empty() && self.answers.is_empty()
    }

    /// Whether there is more to be written than placements.
    pub fn has_chat_changes(&self) -> bool {
        self.placements.len() < self.events.len() || !self.shadow_messages.is_empty()
    }

    /// The head after these, where it was at `before`.
    pub(super) fn new_head(&self, before: i64) -> i64 {
        self.events.last().map_or(before, Event::seq)
    }

    /// Adds a placement.
    pub(super) fn add_placement(&mut self, placement: NewPlacement) {
        self.events.push(Event::Pixel(placement.event.clone()));
        self.placements.push(placement);
    }

    /// Adds a message.
    pub(super) fn add_message(&mut self, author: Option<i64>, message: Arc<Message>) {
        self.messages.push((author, message.clone()));
        self.events.push(Event::Chat(message));
    }

    /// Adds a change of a reaction.
    pub(super) fn add_reaction(&mut self, change: ReactionChange, reaction: ReactionUpdate) {
        self.reactions.push((change, reaction.clone()));
        self.events.push(Event::Reaction(reaction));
    }
}

/// A placement and its place in the chains.
pub struct NewPlacement {
    /// The painter's number.
    pub agent: i64,
    /// The placement that it covers.
    pub covers: Option<i64>,
    /// The painter's placement before it.
    pub previous: Option<i64>,
    pub event: PlacementEvent,
}

/// A message that mentions an agent.
pub struct Mention {
    /// The number of the agent that is mentioned.
    pub agent: i64,
    pub message: Arc<Message>,
    /// A tag by which this agent alone can tell whether two mentions came from one address. `None` if the address is not
    /// known.
    pub origin: Option<Vec<u8>>,
}

impl Mention {
    /// A mention that comes from the address for which `trace` stands.
    pub fn new(agent: i64, message: Arc<Message>, address_hash: Option<&[u8; 32]>) -> Self {
        // Half a hash is enough to compare, and two readers' halves say nothing of each other.
        let origin =
            |address_hash| blake3::keyed_hash(address_hash, &agent.to_be_bytes()).as_bytes()[..16].to_vec();
        Self { agent, message, origin: address_hash.map(origin) }
    }
}

/// A reaction put on a message or taken back.
pub struct ReactionChange {
    pub agent: i64,
    pub emoji: String,
    pub added: bool,
}

/// Who asks for the same answer to the same request.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IdempotencyKey {
    /// The agent's number.
    pub agent: i64,
    pub route: &'static str,
    pub key: String,
}

/// The first success of a request with an idempotency key.
#[derive(Clone, Debug)]
pub struct StoredAnswer {
    /// BLAKE3 of the raw request body.
    pub body_hash: [u8; 32],
    /// The JSON of the answer.
    pub json: Bytes,
}
