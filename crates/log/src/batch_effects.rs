//! The changes of a batch of commands, collected before anything is written.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use bytes::Bytes;
use caraplace_live::event::{Event, PlacementEvent};
use rules::numbers::{AccountNo, Seq};

use super::audit_entry::AuditEntry;
use super::part::Parts;

/// The changes of one batch, in the order of their sequence numbers.
#[derive(Default)]
pub(crate) struct BatchEffects {
    pub events: Vec<Event>,
    /// The accounts whose events they are, by the numbers of the events, if that is stored.
    pub event_authors: HashMap<Seq, AccountNo>,
    pub placements: Vec<NewPlacement>,
    /// The placements that show earlier ones again.
    pub restorations: Vec<Restoration>,
    /// The numbers of the agents whose accounts changed.
    pub changed_accounts: HashSet<AccountNo>,
    pub answers: Vec<(IdempotencyKey, StoredResponse)>,
    /// The parts of nouns above the log.
    pub parts: Parts,
    /// The operators' actions, for the audit log.
    pub audit_entries: Vec<AuditEntry>,
}

impl BatchEffects {
    /// Returns true if there is nothing to write.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty() && !self.parts.has_changes() && self.answers.is_empty()
    }

    /// Returns true if all can be written with one statement: placements without links to others that they
    /// show again, without audit entries, and without changes of parts.
    pub(super) fn fits_one_statement(&self) -> bool {
        !self.has_more_than_placements() && self.restorations.is_empty() && self.audit_entries.is_empty()
    }

    /// Returns true if there is more to write than placements.
    pub fn has_more_than_placements(&self) -> bool {
        self.placements.len() < self.events.len() || self.parts.has_changes()
    }

    /// Returns the head after this batch, if it was at `before`.
    pub(super) fn new_head(&self, before: Seq) -> Seq {
        self.events.last().map_or(before, Event::seq)
    }
}

/// A placement, with links to the placement below it and to the previous one of its agent.
pub(crate) struct NewPlacement {
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
pub(crate) struct Restoration {
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
