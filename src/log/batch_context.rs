//! What a write stands on: the world exactly at the head, the writers' accounts, and what is written so far.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use chrono::{DateTime, Utc};
use rules::digest::{ChatChange, Digest};
use rules::grid::Point;
use rules::message::{Message, ReactionCount};
use rules::palette::Color;
use rules::rights::{AccountAction, AccountKind, Rights};

use super::audit;
use super::batch_effects::{
    BatchEffects, IdempotencyKey, Mention, NewPlacement, ReactionChange, StoredAnswer,
};
use super::shadow_message::ShadowMessage;
use crate::clock;
use crate::config::GameSettings;
use crate::live::event::{Event, PlacementEvent, ReactionUpdate, VisibilityChange, compact_painter};
use crate::log::world::{NewestPlacement, Season, World};
use crate::refusal::Refusal;
use rules::{credits, milestones};

/// An agent's account at the head.
#[derive(Clone, Debug)]
pub struct Account {
    pub no: i64,
    pub id: Arc<str>,
    pub name: Arc<str>,
    pub key_generation: i32,
    pub rights: Rights,
    pub charges_full_at: DateTime<Utc>,
    pub reactions_full_at: DateTime<Utc>,
    pub chat_credits: i64,
    pub pixels_placed: i64,
    pub messages_sent: i64,
    /// Number of the newest placement.
    pub last_placement: Option<i64>,
    pub next_message_at: DateTime<Utc>,
    /// BLAKE3 of the last message after folding.
    pub last_message: Option<Vec<u8>>,
}

impl Account {
    /// Whether it is a person's.
    pub fn is_viewer(&self) -> bool {
        self.rights.kind == AccountKind::Viewer
    }
}

/// Accounts by their agents' numbers.
pub type Accounts = HashMap<i64, Account>;

/// What must be known at the head before a batch can be decided.
#[derive(Default)]
pub struct LookupNeeds {
    /// Whether anything is to be said, which takes more than the one statement of placements.
    pub changes_chat: bool,
    /// Agents' numbers.
    pub accounts: Vec<i64>,
    /// Messages that must exist.
    pub messages: Vec<String>,
    /// Messages whose reactions matter.
    pub reactions: Vec<String>,
    pub answers: Vec<IdempotencyKey>,
    /// Shadow messages that are to be said to all.
    pub shadow_messages: Vec<String>,
}

impl LookupNeeds {
    /// Whether accounts are all that must be read.
    pub(super) fn needs_only_accounts(&self) -> bool {
        !self.changes_chat && self.messages.is_empty() && self.reactions.is_empty() && self.answers.is_empty()
    }
}

/// One agent's reaction to one message.
#[derive(Clone, Debug)]
pub struct AgentReaction {
    pub agent: i64,
    pub emoji: String,
}

/// What was read behind the gate for the writes of one batch; nothing where accounts are enough.
#[derive(Default)]
pub struct Lookups {
    /// Those messages that were asked for and exist, and whether they are hidden.
    pub messages: HashMap<String, bool>,
    /// Reactions by message, in the order of their first use.
    pub reactions: HashMap<String, Vec<AgentReaction>>,
    pub answers: HashMap<IdempotencyKey, StoredAnswer>,
    /// Those shadow messages that were asked for and not said to all yet.
    pub shadow_messages: HashSet<String>,
}

/// The outcome of placing a pixel.
#[derive(Clone, Copy, Debug)]
pub struct PlacementOutcome {
    /// The number of its event.
    pub seq: i64,
    /// Whether an agent earns a credit by it.
    pub earns_credit: bool,
}

/// The ground under a batch of writes, which are decided one after the other.
pub struct BatchContext<'a> {
    /// The time of everything written in this batch.
    pub now: DateTime<Utc>,
    pub game: &'a GameSettings,
    /// The season that is played.
    pub season: &'a Season,
    /// How many pixels were ever painted, with all that was decided before.
    pub painted_count: usize,
    world: &'a World,
    /// As they are after what was decided so far.
    pub(super) accounts: &'a mut Accounts,
    pub(super) lookups: Lookups,
    head: i64,
    /// The pixels painted so far.
    placed_pixels: HashMap<Point, NewestPlacement>,
    chat_changes: Vec<ChatChange>,
    /// The changes so far.
    pub(super) effects: BatchEffects,
}

impl<'a> BatchContext<'a> {
    /// The world must be at the head; should the head move before the batch is written, it is decided anew.
    pub fn new(
        now: DateTime<Utc>,
        game: &'a GameSettings,
        world: &'a World,
        accounts: &'a mut Accounts,
        lookups: Lookups,
    ) -> Self {
        Self {
            now,
            game,
            season: &world.season,
            painted_count: world.painted_count(),
            world,
            accounts,
            lookups,
            head: world.head,
            placed_pixels: HashMap::new(),
            chat_changes: Vec::new(),
            effects: BatchEffects::default(),
        }
    }

    /// Settles an account after something was bought.
    pub fn update_account(&mut self, account: Account) {
        self.effects.changed_accounts.insert(account.no);
        self.accounts.insert(account.no, account);
    }

    /// Stores the first success for this key.
    pub fn store_answer(&mut self, key: IdempotencyKey, answer: StoredAnswer) {
        self.effects.answers.push((key.clone(), answer.clone()));
        self.lookups.answers.insert(key, answer);
    }

    /// The colour at a point, with all that was decided before.
    pub fn color(&self, point: Point) -> u8 {
        self.placed_pixels.get(&point).map_or_else(|| self.world.color(point), |placement| placement.color)
    }

    /// Passes those who may act in the season as it is.
    ///
    /// # Errors
    /// `SeasonOver`.
    pub fn check_season(&self, kind: AccountKind) -> Result<(), Refusal> {
        self.world.check_season(kind, self.now)
    }

    /// Passes what needs no chat, and what does while there is one.
    ///
    /// # Errors
    /// `ChatDisabled`.
    pub fn check_chat(&self, act: AccountAction) -> Result<(), Refusal> {
        let needs_chat = matches!(act, AccountAction::Post | AccountAction::React);
        if needs_chat && !self.game.chat_enabled { Err(Refusal::ChatDisabled) } else { Ok(()) }
    }

    /// The number of the newest placement at a point, with all that was decided before.
    pub fn newest_placement_seq(&self, point: Point) -> Option<i64> {
        self.placed_pixels
            .get(&point)
            .map(|placement| placement.seq)
            .or_else(|| self.world.newest_placement_seq(point))
    }

    /// Whether a message was ever said and is not hidden; its text may be gone.
    pub fn has_message(&self, id: &str) -> bool {
        self.is_hidden(id) == Some(false)
    }

    /// Whether a message is hidden, with all that was decided before; none for what was never said.
    pub fn is_hidden(&self, id: &str) -> Option<bool> {
        self.lookups.messages.get(id).copied()
    }

    /// Places a pixel.
    pub fn place_pixel(&mut self, account: &mut Account, point: Point, color: Color) -> PlacementOutcome {
        let (seq, painter, color) = (self.next_seq(), compact_painter(account.no), color.index());
        let covered = self.placed_pixels.insert(point, NewestPlacement { color, painter, seq });
        let covered = covered.unwrap_or_else(|| self.world.newest_placement(point));
        let covered_seq = Some(covered.seq).filter(|seq| *seq > 0);
        self.painted_count += usize::from(covered_seq.is_none());
        let previous = account.last_placement.replace(seq);
        let event = PlacementEvent { seq, point, color, agent: account.id.clone(), painter };
        self.effects.add_placement(NewPlacement { agent: account.no, covers: covered_seq, previous, event });
        PlacementOutcome {
            seq,
            earns_credit: credits::earns_credit(color == covered.color, painter, covered.painter),
        }
    }

    /// Tells the chat when the canvas has just become so and so full.
    pub fn announce_milestone(&mut self, painted_before: usize) {
        let area = self.season.size.area();
        let reached = milestones::reached(painted_before, self.painted_count, area);
        if let Some(percent) = reached.filter(|_| self.game.system_messages && self.game.chat_enabled) {
            let content = format!("{percent} % of the canvas is painted now.");
            self.post_system_message(content);
        }
    }

    /// Gives a message its number, id and time, and says it.
    pub fn post_message(&mut self, author: Option<i64>, mut message: Message) -> Arc<Message> {
        message.id = clock::new_id("msg");
        self.append_message(author, message)
    }

    /// Gives a message an id and a time, and shows it to its author alone.
    pub fn post_shadow_message(&mut self, author: i64, mut message: Message) -> Arc<Message> {
        message.id = clock::new_id("msg");
        (message.seq, message.timestamp) = (Message::NO_SEQ, self.now);
        let message = Arc::new(message);
        let shadow_message = ShadowMessage { no: 0, author, after_seq: self.head, message: message.clone() };
        self.effects.shadow_messages.push(shadow_message);
        message
    }

    /// Whether only its author is still shown a message.
    pub fn is_shadow_message(&self, id: &str) -> bool {
        self.lookups.shadow_messages.contains(id)
    }

    /// Says after all what only its author was shown.
    pub fn release_shadow_message(&mut self, shadow_message: &ShadowMessage) -> Arc<Message> {
        let message =
            self.append_message(Some(shadow_message.author), Message::clone(&shadow_message.message));
        self.lookups.shadow_messages.remove(&message.id);
        self.effects.released_shadow_messages.push((message.id.clone(), message.seq));
        message
    }

    fn append_message(&mut self, author: Option<i64>, mut message: Message) -> Arc<Message> {
        message.seq = self.next_seq();
        message.timestamp = self.now;
        let message = Arc::new(message);
        self.chat_changes.push(ChatChange::Posted(message.id.clone()));
        self.effects.add_message(author, message.clone());
        message
    }

    /// Takes a message down, or brings it back.
    pub fn set_hidden(&mut self, message_id: &str, hidden: bool) -> VisibilityChange {
        let id = message_id.to_owned();
        let change = VisibilityChange { seq: self.next_seq(), message_id: id.clone(), at: self.now };
        self.lookups.messages.insert(id.clone(), hidden);
        self.chat_changes.push(if hidden { ChatChange::Hidden(id) } else { ChatChange::Restored(id) });
        self.effects.events.push(if hidden { Event::Hidden } else { Event::Restored }(change.clone()));
        change
    }

    /// Lets the server itself say something.
    pub fn post_system_message(&mut self, content: String) -> Arc<Message> {
        let message = Message::from_system(content, self.now);
        self.post_message(None, message)
    }

    /// Writes down what an operator does. Without an event that shows it, it is not done.
    pub fn audit(&mut self, entry: audit::AuditEntry) {
        self.effects.audit_entries.push(entry);
    }

    /// Tells those whom a message mentions. `trace` stands for the address that it comes from, if that is known.
    pub fn add_mentions(&mut self, agents: &[i64], message: &Arc<Message>, address_hash: Option<&[u8; 32]>) {
        let mention = |agent: &i64| Mention::new(*agent, message.clone(), address_hash);
        self.effects.mentions.extend(agents.iter().map(mention));
    }

    /// The digest after everything that was said so far, as an author is shown it who has just said this beside the log.
    pub fn digest_for(&self, author: &str, newest_id: &str) -> Digest {
        let public = self.digest();
        self.world.digests().digest_for_author(public, author, newest_id)
    }

    /// The digest after everything that was said so far.
    pub fn digest(&self) -> Digest {
        self.world.digests().preview(&self.chat_changes, self.now)
    }

    /// The counts as they would be with an emoji put on a message, or taken back.
    pub fn preview_reaction(&self, agent: i64, message_id: &str, emoji: &str) -> Vec<ReactionCount> {
        let mut reactions = self.lookups.reactions.get(message_id).cloned().unwrap_or_default();
        toggle(&mut reactions, agent, emoji);
        count_reactions(&reactions)
    }

    /// Puts an emoji on a message, or takes it back when it is there; returns the counts after that.
    pub fn toggle_reaction(&mut self, agent: i64, message_id: &str, emoji: &str) -> Vec<ReactionCount> {
        let seq = self.next_seq();
        let agent_reactions = self.lookups.reactions.entry(message_id.to_owned()).or_default();
        let added = toggle(agent_reactions, agent, emoji);
        let reactions = count_reactions(agent_reactions);
        let message_id = message_id.to_owned();
        let change = ReactionChange { agent, emoji: emoji.to_owned(), added };
        let reaction = ReactionUpdate { seq, message_id, reactions: reactions.clone() };
        self.effects.add_reaction(change, reaction);
        reactions
    }

    fn next_seq(&mut self) -> i64 {
        self.head += 1;
        self.head
    }
}

/// Whether it was put there rather than taken back.
fn toggle(reactions: &mut Vec<AgentReaction>, agent: i64, emoji: &str) -> bool {
    let count_before = reactions.len();
    reactions.retain(|reaction| reaction.agent != agent || reaction.emoji != emoji);
    let added = reactions.len() == count_before;
    if added {
        reactions.push(AgentReaction { agent, emoji: emoji.to_owned() });
    }
    added
}

/// How many gave each emoji, in the order of first use.
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
