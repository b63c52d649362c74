//! The projection of the log: the canvas, the newest messages and their digests, in memory.

use std::collections::VecDeque;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use parking_lot::Mutex;
use rules::digest::{ChatChange, DigestTracker};
use rules::grid::Size;
use rules::message::Message;
use rules::numbers::{AccountNo, Seq};
use rules::season::SeasonState;
use sqlx::PgConnection;

use super::canvas::{Canvas, NewestPlacement};
use super::live_intents::{LiveIntent, LiveIntents};
use super::projection::{Projection, Projections};
use crate::log::live::event::{
    Event, IntentChange, MessageFolding, PlacementEvent, ReactionUpdate, SeasonStart, TextEdit,
    VisibilityChange,
};

/// The number of visible messages in memory, which is more than the longest page has.
pub const MAX_CACHED_MESSAGES: usize = 200;

/// A season: one canvas, from its opening to its archive.
#[derive(Clone, Debug)]
pub struct Season {
    /// `season_…`.
    pub id: String,
    pub title: String,
    pub size: Size,
    /// The event that opened it.
    pub seq: Seq,
    pub opened_at: DateTime<Utc>,
}

impl Season {
    /// Returns the event that opened it.
    pub(super) fn opening(&self) -> Event {
        Event::Season(SeasonStart {
            seq: self.seq,
            season: self.id.clone(),
            title: self.title.clone(),
            size: self.size,
            opened_at: self.opened_at,
        })
    }
}

/// A season after which another one was opened. It never changes again.
#[derive(Clone, Debug)]
pub struct ArchivedSeason {
    pub season: Season,
    /// Its last event.
    pub last: Seq,
    pub ended_at: DateTime<Utc>,
}

/// The newest messages and the live intents of a season, as read from the database, oldest first.
#[derive(Debug, Default)]
pub struct NewestMessages {
    pub messages: Vec<Message>,
    pub live_intents: Vec<Message>,
}

/// The projection as of event `head`, which serves all reads.
pub struct World {
    pub season: Season,
    /// The state of the season.
    pub season_state: SeasonState,
    /// The entry of the control log as of which the season's state is known.
    season_state_control_head: i64,
    /// The entry of the control log as of which it is known what messages are folded.
    folding_control_head: i64,
    /// The state of a season whose opening has not been applied yet, with the number of its opening.
    next_season_state: Option<(Seq, SeasonState)>,
    /// The newest event.
    pub head: Seq,
    /// The newest event that changed a pixel.
    pub version: Seq,
    /// The newest event that changed the visible chat.
    pub chat_version: Seq,
    /// Increases when the chat changes without an event: by a new name, when a message is folded or unfolded,
    /// or after messages were read again.
    pub chat_revision: u64,
    pub canvas: Canvas,
    messages: VecDeque<Arc<Message>>,
    /// True if there are older messages than those in memory.
    pub has_older_messages: bool,
    /// True if messages must be read again: too many were hidden, or one was restored.
    pub(super) needs_refill: bool,
    live_intents: LiveIntents,
    projections: Projections,
    digests: Mutex<DigestTracker>,
}

impl World {
    /// Returns a blank canvas and an empty chat at the season's opening.
    pub fn new(season: Season, digests: DigestTracker, projections: Projections) -> Self {
        Self {
            season_state: SeasonState::new(1),
            season_state_control_head: 0,
            folding_control_head: 0,
            next_season_state: None,
            head: season.seq,
            version: season.seq,
            chat_version: season.seq,
            chat_revision: 0,
            canvas: Canvas::blank(season.size, season.seq),
            messages: VecDeque::with_capacity(MAX_CACHED_MESSAGES + 1),
            has_older_messages: false,
            needs_refill: false,
            live_intents: LiveIntents::default(),
            projections,
            digests: Mutex::new(digests),
            season,
        }
    }

    /// Returns the newest visible messages, oldest first.
    pub fn messages(&self) -> &VecDeque<Arc<Message>> {
        &self.messages
    }

    /// Returns the live intents, newest first.
    pub fn live_intents(&self, now: DateTime<Utc>) -> impl Iterator<Item = &Arc<LiveIntent>> {
        self.live_intents.iter(now)
    }

    /// Returns the entry of the control log as of which the foldings in memory are known.
    pub fn folding_control_head(&self) -> i64 {
        self.folding_control_head
    }

    /// Replaces the messages and live intents in memory by `newest`, which was read as of `head` and with the
    /// foldings as of `folding_control_head`. Does nothing if the head has moved since. If only a folding has
    /// changed since, it requests another reading instead.
    pub fn refill_messages(&mut self, head: Seq, folding_control_head: i64, newest: NewestMessages) {
        if self.head == head && self.folding_control_head != folding_control_head {
            self.needs_refill = true;
        } else if self.head == head {
            (self.needs_refill, self.has_older_messages) = (false, false);
            self.chat_revision += 1;
            self.load_messages(newest);
        }
    }

    /// Replaces the messages and live intents in memory.
    pub fn load_messages(&mut self, newest: NewestMessages) {
        self.messages.clear();
        newest.messages.into_iter().for_each(|message| self.push_message(message.into()));
        self.live_intents = LiveIntents::default();
        newest.live_intents.into_iter().for_each(|intent| self.push_intent(&intent.into()));
    }

    /// Renames an author in the messages in memory.
    pub fn rename_author(&mut self, author: &Arc<str>, name: &Arc<str>) {
        for message in &mut self.messages {
            if message.agent_id.as_ref() == Some(author) && message.agent_name != *name {
                Arc::make_mut(message).agent_name = name.clone();
                self.chat_revision += 1;
            }
        }
        self.live_intents.rename_author(author, name);
        self.projections.iter_mut().for_each(|projection| projection.rename_author(author, name));
    }

    /// Folds and unfolds messages in memory, as of this entry of the control log. Returns false if a later
    /// entry has been applied already.
    pub fn set_folded(&mut self, control_head: i64, foldings: &[MessageFolding]) -> bool {
        if control_head < self.folding_control_head {
            return false;
        }
        self.folding_control_head = control_head;
        for folding in foldings {
            self.live_intents.set_folded(folding.seq, folding.folded);
            let found = self.messages.iter_mut().find(|message| message.seq == folding.seq);
            if let Some(message) = found.filter(|message| message.folded != folding.folded) {
                Arc::make_mut(message).folded = folding.folded;
                self.chat_revision += 1;
            }
        }
        true
    }

    /// Returns the ids of the authors of what is in memory, and the numbers of the messages.
    pub fn authors_and_messages(&self) -> (Vec<String>, Vec<Seq>) {
        let authors = self.messages.iter().filter_map(|message| message.agent_id.as_deref());
        let mut ids: Vec<String> = authors.map(str::to_owned).collect();
        let others = self.projections.iter().flat_map(Projection::author_ids);
        ids.extend(others.map(|id| id.to_string()));
        ids.sort_unstable();
        ids.dedup();
        (ids, self.messages.iter().map(|message| message.seq).collect())
    }

    /// Returns the digests of the chat.
    pub fn digests(&self) -> parking_lot::MutexGuard<'_, DigestTracker> {
        self.digests.lock()
    }

    /// Returns the number of the painter whose pixel the next event paints over, if it does.
    pub fn covered_painter(&self, event: &Event) -> Option<AccountNo> {
        let Event::Pixel(placement) = event else { return None };
        let is_next = placement.seq == self.head.next();
        let covered = is_next.then(|| self.canvas.newest_placement(placement.point).painter)?;
        (covered != 0 && covered != placement.painter).then(|| AccountNo::of_painter(covered))
    }

    /// Applies an event if it is the next one, and returns true. Other events are ignored.
    pub fn apply(&mut self, event: &Event) -> bool {
        if event.seq() != self.head.next() {
            return false;
        }
        self.head = event.seq();
        self.needs_refill |= self.changes_messages(event);
        let mut covered = None;
        match event {
            Event::Pixel(placement) => covered = Some(self.apply_placement(placement)),
            Event::Chat(message) => self.apply_message(message),
            Event::Reaction(reaction) => self.apply_reaction(reaction),
            Event::Edited(edit) => self.apply_edit(edit),
            Event::Hidden(change) => self.apply_visibility_change(change, true),
            Event::Restored(change) => self.apply_visibility_change(change, false),
            Event::Deleted(change) => self.remove_message(change, true),
            Event::Intent(change) => self.apply_intent_change(change),
            Event::Season(start) => self.start_season(start),
            Event::Plan(_) => {}
        }
        for projection in self.projections.iter_mut() {
            projection.apply(event, &self.canvas, covered);
        }
        true
    }

    /// Returns true if the next event may change what messages show that were posted before.
    pub fn changes_messages(&self, event: &Event) -> bool {
        self.projections.iter().any(|projection| projection.changes_messages(event))
    }

    /// Returns the projection of this type.
    pub fn projection<P: Projection>(&self) -> &P {
        self.projections.get()
    }

    /// Reads the projections. The canvas must have been read before.
    pub(super) async fn load_projections(
        &mut self,
        connection: &mut PgConnection,
    ) -> Result<(), sqlx::Error> {
        for projection in self.projections.iter_mut() {
            projection.load(connection, &self.canvas).await?;
        }
        Ok(())
    }

    /// Adds a message to the newest messages.
    fn push_message(&mut self, message: Arc<Message>) {
        self.messages.push_back(message);
        if self.messages.len() > MAX_CACHED_MESSAGES {
            self.messages.pop_front();
            self.has_older_messages = true;
        }
    }

    /// Adds a message to the live intents if it is one.
    fn push_intent(&mut self, message: &Arc<Message>) {
        self.live_intents.push(message, self.season.size);
    }

    /// Paints a pixel, and returns the placement that it covers.
    fn apply_placement(&mut self, placement: &PlacementEvent) -> NewestPlacement {
        self.version = placement.seq;
        let &PlacementEvent { seq, point, color, painter, .. } = placement;
        self.canvas.set_pixel(point, NewestPlacement { color, painter, seq })
    }

    fn apply_message(&mut self, message: &Arc<Message>) {
        self.chat_version = message.seq;
        self.digests.get_mut().record(&ChatChange::Posted(message.id.clone()), message.timestamp);
        self.push_intent(message);
        self.push_message(message.clone());
    }

    fn apply_visibility_change(&mut self, visibility_change: &VisibilityChange, hidden: bool) {
        let id = visibility_change.message_id.clone();
        let change = if hidden { ChatChange::Hidden(id) } else { ChatChange::Restored(id) };
        self.digests.get_mut().record(&change, visibility_change.at);
        self.remove_message(visibility_change, hidden);
    }

    /// Removes a message from memory. A restored one is read again; the digest of a deleted one stays as it
    /// is.
    fn remove_message(&mut self, visibility_change: &VisibilityChange, hidden: bool) {
        self.chat_version = visibility_change.seq;
        self.messages.retain(|message| message.id != visibility_change.message_id);
        self.live_intents.remove(&visibility_change.message_id);
        self.needs_refill |=
            !hidden || self.has_older_messages && self.messages.len() < MAX_CACHED_MESSAGES / 2;
    }

    fn apply_edit(&mut self, edit: &TextEdit) {
        self.chat_version = edit.seq;
        self.live_intents.set_text(edit);
        if let Some(message) = self.messages.iter_mut().find(|message| message.id == edit.message_id) {
            edit.apply_to(Arc::make_mut(message));
        }
    }

    /// Starts a season with a blank canvas and an empty chat.
    fn start_season(&mut self, start: &SeasonStart) {
        let SeasonStart { seq, season, title, size, opened_at } = start.clone();
        let season = Season { id: season, title, size, seq, opened_at };
        self.digests.get_mut().record(&ChatChange::Cleared, opened_at);
        let placeholder = DigestTracker::new([0; 32], TimeDelta::seconds(1), opened_at);
        let digests = std::mem::replace(self.digests.get_mut(), placeholder);
        let next_state = self.next_season_state.take().filter(|(season_seq, _)| *season_seq == seq);
        let season_state = next_state
            .map_or_else(|| SeasonState::new(self.season_state.number + 1), |(_, season_state)| season_state);
        *self = Self {
            season_state,
            season_state_control_head: self.season_state_control_head,
            folding_control_head: self.folding_control_head,
            ..Self::new(season, digests, std::mem::take(&mut self.projections))
        };
    }

    fn apply_intent_change(&mut self, change: &IntentChange) {
        self.chat_version = change.seq;
        self.live_intents.change(&change.message_id, &change.details, self.season.size);
        let found = self.messages.iter_mut().find(|message| message.id == change.message_id);
        if let Some(message) = found {
            Arc::make_mut(message).intent = Some(change.details.clone());
        }
    }

    fn apply_reaction(&mut self, reaction: &ReactionUpdate) {
        self.chat_version = reaction.seq;
        let found = self.messages.iter_mut().find(|message| message.id == reaction.message_id);
        if let Some(message) = found {
            Arc::make_mut(message).reactions.clone_from(&reaction.reactions);
        }
    }
}

mod season_state;

#[cfg(test)]
mod tests;
