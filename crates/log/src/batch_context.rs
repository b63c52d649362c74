//! The state in which a batch is decided: the world at the head, the accounts, and the effects decided so
//! far.

use std::collections::HashMap;

use caraplace_live::event::{Event, PlacementEvent};
use chrono::{DateTime, Utc};
use platform::config::GameSettings;
use platform::refusal::Refusal;
use rules::grid::Point;
use rules::numbers::{AccountNo, Seq};
use rules::rights::AccountKind;

pub use super::account::{Account, Accounts};
use super::audit_entry::AuditEntry;
use super::batch_effects::{BatchEffects, IdempotencyKey, StoredResponse};
use super::part::{Part, Parts};
use crate::canvas::NewestPlacement;
use crate::season::Season;
use crate::world::World;

/// The data that must be read before a batch can be decided.
#[derive(Default)]
pub struct LookupNeeds {
    /// True if a command may write more than placements, which takes more than their single statement.
    pub(super) writes_more: bool,
    /// The numbers of the agents.
    pub accounts: Vec<AccountNo>,
    pub answers: Vec<IdempotencyKey>,
    /// The parts, with what must be read of them.
    pub parts: Parts,
}

impl LookupNeeds {
    /// Returns true if only accounts must be read.
    pub(super) fn needs_only_accounts(&self) -> bool {
        !self.writes_more && self.answers.is_empty() && !self.parts.has_needs()
    }
}

/// The data of the log that was read with the head locked; empty if accounts are enough.
#[derive(Default)]
pub struct Lookups {
    pub answers: HashMap<IdempotencyKey, StoredResponse>,
}

/// The outcome of placing a pixel.
#[derive(Clone, Copy, Debug)]
pub struct PlacementOutcome {
    pub seq: Seq,
    /// True if the agent earns a credit for it.
    pub earns_credit: bool,
}

/// The context of a batch, whose commands are decided one after the other.
pub struct BatchContext<'a> {
    /// The time of everything that this batch writes.
    pub now: DateTime<Utc>,
    pub game: &'a GameSettings,
    /// The current season.
    pub season: &'a Season,
    /// The number of pixels that were ever painted, including those of this batch.
    pub painted_count: usize,
    world: &'a World,
    /// The accounts after the commands decided so far.
    pub(super) accounts: &'a mut Accounts,
    pub(super) lookups: Lookups,
    pub(super) head: Seq,
    /// The placements of this batch.
    pub(super) placed_pixels: HashMap<Point, NewestPlacement>,
    /// The changes decided so far.
    pub(super) effects: BatchEffects,
}

impl<'a> BatchContext<'a> {
    /// Returns the context of a batch. The world must be at the head; if the head moves before the batch is
    /// written, the batch is decided again.
    pub fn new(
        now: DateTime<Utc>,
        game: &'a GameSettings,
        world: &'a World,
        accounts: &'a mut Accounts,
        lookups: Lookups,
        parts: Parts,
    ) -> Self {
        Self {
            now,
            game,
            season: &world.season,
            painted_count: world.canvas.painted_count(),
            world,
            accounts,
            lookups,
            head: world.head,
            placed_pixels: HashMap::new(),
            effects: BatchEffects { parts, ..BatchEffects::default() },
        }
    }

    /// Returns a part, with what was read of it and the changes of this batch.
    pub fn part<P: Part>(&self) -> &P {
        self.effects.parts.get()
    }

    /// Returns a part, to be changed.
    pub fn part_mut<P: Part>(&mut self) -> &mut P {
        self.effects.parts.get_mut()
    }

    /// Stores an account after a command has changed it.
    pub(crate) fn update_account(&mut self, account: Account) {
        self.effects.changed_accounts.insert(account.no);
        self.accounts.insert(account.no, account);
    }

    /// Stores the first success response for this key.
    pub fn store_response(&mut self, key: IdempotencyKey, answer: StoredResponse) {
        self.effects.answers.push((key.clone(), answer.clone()));
        self.lookups.answers.insert(key, answer);
    }

    /// Returns the world at the head, without the changes of this batch.
    pub fn world(&self) -> &World {
        self.world
    }

    /// Returns the number of the newest event, including those of this batch.
    pub fn head(&self) -> Seq {
        self.head
    }

    /// Returns the number of the event that is appended next.
    pub fn next_seq(&self) -> Seq {
        self.head.next()
    }

    /// Appends an event, whose number must be that of the next one. `author` is the account whose event it
    /// is, if that is stored.
    pub fn append_event(&mut self, event: Event, author: Option<AccountNo>) {
        debug_assert_eq!(event.seq(), self.next_seq(), "events have consecutive numbers");
        self.head = event.seq();
        self.effects.event_authors.extend(author.map(|author| (event.seq(), author)));
        self.effects.events.push(event);
    }

    /// Returns the placements of this batch.
    pub fn placements(&self) -> impl Iterator<Item = &PlacementEvent> {
        self.effects.placements.iter().map(|placement| &placement.event)
    }

    /// Returns the newest placement at a point, including those of this batch.
    pub fn newest_placement(&self, point: Point) -> NewestPlacement {
        self.placed_pixels.get(&point).copied().unwrap_or_else(|| self.world.canvas.newest_placement(point))
    }

    /// Returns the colour at a point, including the placements of this batch.
    pub fn color(&self, point: Point) -> u8 {
        self.newest_placement(point).color
    }

    /// Checks that accounts of this kind may act in the current state of the season.
    ///
    /// # Errors
    /// `SeasonOver`.
    pub fn check_season(&self, kind: AccountKind) -> Result<(), Refusal> {
        self.world.check_season(kind, self.now)
    }

    /// Returns the number of the newest placement at a point, including those of this batch; `None` if there
    /// is none.
    pub fn newest_placement_seq(&self, point: Point) -> Option<Seq> {
        Some(self.newest_placement(point).seq).filter(|seq| *seq > Seq::ZERO)
    }

    /// Adds an entry to the audit log. It must belong to an event or to a change of a part of the same batch,
    /// without which it is not written.
    pub fn audit(&mut self, entry: AuditEntry) {
        self.effects.audit_entries.push(entry);
    }
}
