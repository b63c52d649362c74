//! The state in which a batch is decided: the world at the head, the accounts, and the effects decided so
//! far.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use chrono::{DateTime, Utc};
use platform::clock;
use platform::config::GameSettings;
use platform::refusal::Refusal;
use rules::digest::{ChatChange, Digest};
use rules::grid::Point;
use rules::intent::IntentDetails;
use rules::message::{Message, ReactionCount};
use rules::numbers::{AccountNo, Seq};
use rules::rights::{AccountAction, AccountKind};

pub use super::account::{Account, Accounts};
use super::audit;
use super::batch_effects::{BatchEffects, IdempotencyKey, Mention, ReactionChange, StoredResponse};
use super::existing_message::ExistingMessage;
use super::part::{Part, Parts};
use super::shadow_message::ShadowMessage;
use super::shadow_view::ShadowReaction;
use crate::log::canvas::NewestPlacement;
use crate::log::live::event::{Event, IntentChange, PlacementEvent, ReactionUpdate, VisibilityChange};
use crate::log::world::{Season, World};
use rules::milestones;

/// The data that must be read before a batch can be decided.
#[derive(Default)]
pub struct LookupNeeds {
    /// True if the batch changes the chat, which takes more than the single statement of placements.
    pub changes_chat: bool,
    /// The numbers of the agents.
    pub accounts: Vec<AccountNo>,
    /// The ids of messages that must exist.
    pub messages: Vec<String>,
    /// The ids of messages whose reactions are needed.
    pub reactions: Vec<String>,
    pub answers: Vec<IdempotencyKey>,
    /// The ids of shadow messages to be made public, or to be found by their authors.
    pub shadow_messages: Vec<String>,
    /// The ids of intents to be changed.
    pub intents: Vec<String>,
    /// The ids of public messages that their authors change or delete.
    pub own_messages: Vec<String>,
    /// The ids of messages that their authors may have deleted.
    pub deletions: Vec<String>,
    /// The parts, with what must be read of them.
    pub parts: Parts,
}

impl LookupNeeds {
    /// Returns true if only accounts must be read.
    pub(super) fn needs_only_accounts(&self) -> bool {
        !self.changes_chat
            && self.messages.is_empty()
            && self.reactions.is_empty()
            && self.answers.is_empty()
            && self.intents.is_empty()
            && self.own_messages.is_empty()
            && self.deletions.is_empty()
            && !self.parts.has_needs()
    }
}

/// The reaction of one agent to a message.
#[derive(Clone, Debug)]
pub struct AgentReaction {
    pub agent: AccountNo,
    pub emoji: String,
    pub seq: Seq,
}

/// The data that was read with the head locked; empty if accounts are enough.
#[derive(Default)]
pub struct Lookups {
    /// The requested messages that exist, of any season.
    pub messages: HashMap<String, ExistingMessage>,
    /// Reactions by message, in the order of their first use.
    pub reactions: HashMap<String, Vec<AgentReaction>>,
    /// The reactions to the same messages that their authors see otherwise than everyone else.
    pub shadow_reactions: HashMap<String, Vec<ShadowReaction>>,
    pub answers: HashMap<IdempotencyKey, StoredResponse>,
    /// The requested shadow messages that are not public yet.
    pub shadow_messages: HashMap<String, ShadowMessage>,
    /// The requested intents that exist and are not hidden, shadow messages included.
    pub intents: HashMap<String, StoredIntent>,
    /// The requested public messages whose texts exist, hidden and deleted ones included.
    pub own_messages: HashMap<String, Message>,
    /// Those of the requested messages that their authors have deleted.
    pub deleted_messages: HashSet<String>,
}

/// An intent as it is stored.
#[derive(Clone, Debug)]
pub struct StoredIntent {
    /// The message as everyone sees it.
    pub message: Message,
    /// The details as its author sees them, if everyone else sees others.
    pub own_details: Option<IntentDetails>,
    /// True if only the author can see the message.
    pub is_shadow_message: bool,
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
    chat_changes: Vec<ChatChange>,
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
            chat_changes: Vec::new(),
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
    pub fn update_account(&mut self, account: Account) {
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

    /// Checks that the chat is on, if the act needs it.
    ///
    /// # Errors
    /// `ChatDisabled`.
    pub fn check_chat(&self, act: AccountAction) -> Result<(), Refusal> {
        let needs_chat = matches!(act, AccountAction::Post | AccountAction::React | AccountAction::Delete);
        if needs_chat && !self.game.chat_enabled { Err(Refusal::ChatDisabled) } else { Ok(()) }
    }

    /// Returns the number of the newest placement at a point, including those of this batch; `None` if there
    /// is none.
    pub fn newest_placement_seq(&self, point: Point) -> Option<Seq> {
        Some(self.newest_placement(point).seq).filter(|seq| *seq > Seq::ZERO)
    }

    /// Returns true if a message of the season exists and is not hidden; its text may have been deleted.
    pub fn has_message(&self, id: &str) -> bool {
        self.lookups.messages.get(id).is_some_and(|found| found.is_visible_in_season(self.season.seq))
    }

    /// Returns true if a message is hidden, including changes of this batch; `None` if it does not exist.
    pub fn is_hidden(&self, id: &str) -> Option<bool> {
        self.lookups.messages.get(id).map(|message| message.is_hidden)
    }

    /// Posts a system message if the canvas has just reached a milestone.
    pub fn announce_milestone(&mut self, painted_before: usize) {
        let area = self.season.size.area();
        let reached = milestones::reached(painted_before, self.painted_count, area);
        if let Some(percent) = reached.filter(|_| self.game.system_messages && self.game.chat_enabled) {
            let content = format!("{percent} % of the canvas is painted now.");
            self.post_system_message(content);
        }
    }

    /// Posts a message: assigns its number, id and time.
    pub fn post_message(&mut self, author: Option<AccountNo>, mut message: Message) -> Arc<Message> {
        message.id = clock::new_id("msg");
        self.append_message(author, message)
    }

    pub(super) fn append_message(&mut self, author: Option<AccountNo>, mut message: Message) -> Arc<Message> {
        message.seq = self.next_seq();
        (message.timestamp, message.edited_at) = (self.now, None);
        let message = Arc::new(message);
        self.chat_changes.push(ChatChange::Posted(message.id.clone()));
        self.effects.messages.push((author, message.clone()));
        self.append_event(Event::Chat(message.clone()), author);
        message
    }

    /// Hides a message, or restores it.
    pub fn set_hidden(&mut self, message_id: &str, hidden: bool) -> VisibilityChange {
        let id = message_id.to_owned();
        let change = VisibilityChange { seq: self.next_seq(), message_id: id.clone(), at: self.now };
        self.lookups.messages.entry(id.clone()).and_modify(|message| message.is_hidden = hidden);
        self.lookups.intents.remove(message_id);
        self.chat_changes.push(if hidden { ChatChange::Hidden(id) } else { ChatChange::Restored(id) });
        self.append_event(if hidden { Event::Hidden } else { Event::Restored }(change.clone()), None);
        change
    }

    /// Posts a system message.
    pub fn post_system_message(&mut self, content: String) -> Arc<Message> {
        let message = Message::from_system(content, self.now);
        self.post_message(None, message)
    }

    /// Adds an entry to the audit log. It must belong to an event of the same batch, without which it is not
    /// written.
    pub fn audit(&mut self, entry: audit::AuditEntry) {
        self.effects.audit_entries.push(entry);
    }

    /// Adds a mention of these agents. `address_hash` is the hash of the sender's address, if it is known.
    pub fn add_mentions(
        &mut self,
        agents: &[AccountNo],
        message: &Arc<Message>,
        address_hash: Option<&[u8; 32]>,
    ) {
        let mention = |agent: &AccountNo| Mention::new(*agent, message.seq, &message.id, address_hash);
        self.effects.mentions.extend(agents.iter().map(mention));
    }

    /// Returns the digest after the messages decided so far.
    pub fn digest(&self) -> Digest {
        self.world.digests().preview(&self.chat_changes, self.now)
    }

    /// Adds an emoji to a message, or removes it if it is there. Returns the counts after that, as the agent
    /// sees them.
    pub fn toggle_reaction(&mut self, agent: AccountNo, message_id: &str, emoji: &str) -> Vec<ReactionCount> {
        let seq = self.next_seq();
        let agent_reactions = self.lookups.reactions.entry(message_id.to_owned()).or_default();
        let added = toggle(agent_reactions, agent, emoji, seq);
        let reactions = count_reactions(agent_reactions);
        let change = ReactionChange { agent, emoji: emoji.to_owned(), added };
        let update = ReactionUpdate { seq, message_id: message_id.to_owned(), reactions };
        self.effects.reactions.push((change, update.clone()));
        self.append_event(Event::Reaction(update), None);
        self.count_reactions_seen(agent, message_id)
    }

    /// Returns a requested intent, including changes of this batch; `None` if there is no visible one.
    pub fn intent(&self, id: &str) -> Option<&StoredIntent> {
        self.lookups.intents.get(id)
    }

    /// Replaces the details of a public intent for everyone, and returns its message.
    pub fn change_intent(&mut self, stored: StoredIntent, details: IntentDetails) -> Message {
        let seq = self.next_seq();
        let message_id = stored.message.id.clone();
        if stored.own_details.is_some() {
            self.effects.shadow.ended_views.push(message_id.clone());
        }
        let change = IntentChange { seq, message_id: message_id.clone(), details: details.clone() };
        self.effects.intent_changes.push(change.clone());
        self.append_event(Event::Intent(change), None);
        let message = Message { intent: Some(details), ..stored.message };
        let changed = StoredIntent { message: message.clone(), own_details: None, is_shadow_message: false };
        self.lookups.intents.insert(message_id, changed);
        message
    }
}

/// Toggles a reaction. Returns true if it was added, false if it was removed.
fn toggle(reactions: &mut Vec<AgentReaction>, agent: AccountNo, emoji: &str, seq: Seq) -> bool {
    let count_before = reactions.len();
    reactions.retain(|reaction| reaction.agent != agent || reaction.emoji != emoji);
    let added = reactions.len() == count_before;
    if added {
        reactions.push(AgentReaction { agent, emoji: emoji.to_owned(), seq });
    }
    added
}

/// Counts the agents for each emoji, in the order of first use.
pub fn count_reactions(reactions: &[AgentReaction]) -> Vec<ReactionCount> {
    let mut counts: Vec<ReactionCount> = Vec::new();
    for reaction in reactions {
        match counts.iter_mut().find(|count| count.emoji == reaction.emoji) {
            Some(found) => found.count += 1,
            None => counts.push(ReactionCount { emoji: reaction.emoji.clone(), count: 1 }),
        }
    }
    counts
}
