//! The chat in memory: the newest messages of the season, the live intents, and the digests.

use std::collections::VecDeque;
use std::sync::Arc;

use caraplace_live::event::{
    Event, IntentChange, MessageFolding, ReactionUpdate, SeasonStart, TextEdit, VisibilityChange,
};
use caraplace_log::control_entry::ControlEntry;
use caraplace_log::projection::{AppliedEvent, LoadContext, Projection};
use caraplace_log::sql_future::SqlFuture;
use caraplace_log::world::World;
use chrono::{DateTime, TimeDelta, Utc};
use parking_lot::{Mutex, MutexGuard};
use rules::digest::{
    ChatChange, DIGEST_RETENTION, DigestTracker, MAX_RETAINED_DIGESTS, MAX_RETAINED_MESSAGES,
};
use rules::grid::Size;
use rules::message::Message;
use rules::numbers::{AccountNo, Seq};
use sqlx::PgConnection;

use super::live_intents::{LiveIntent, LiveIntents};
use super::store::{self, MAX_CACHED_MESSAGES, NewestMessages};

/// The maximum number of chat changes that are read: enough for the newest digests and the messages among
/// which they are searched.
const MAX_CHAT_CHANGES_READ: i64 = (MAX_RETAINED_DIGESTS + MAX_RETAINED_MESSAGES) as i64;

/// The chat of the current season.
pub struct Chat {
    /// The newest event that changed the visible chat.
    pub version: Seq,
    /// Increases when the chat changes without an event: by a new name, when a message is folded or unfolded,
    /// or after messages were read again.
    pub revision: u64,
    /// True if there are older messages than those in memory.
    pub has_older_messages: bool,
    /// True if messages must be read again: too many were hidden, or one was restored.
    pub(super) must_be_read: bool,
    messages: VecDeque<Arc<Message>>,
    /// The entry of the control log as of which it is known what messages are folded.
    folding_control_head: i64,
    live_intents: LiveIntents,
    digests: Mutex<DigestTracker>,
}

impl Default for Chat {
    /// Returns an empty chat, whose digests must be loaded.
    fn default() -> Self {
        Self {
            version: Seq::ZERO,
            revision: 0,
            has_older_messages: false,
            must_be_read: false,
            messages: VecDeque::with_capacity(MAX_CACHED_MESSAGES + 1),
            folding_control_head: 0,
            live_intents: LiveIntents::default(),
            digests: Mutex::new(DigestTracker::new([0; 32], TimeDelta::seconds(1), DateTime::UNIX_EPOCH)),
        }
    }
}

impl Chat {
    /// Returns the chat of the current season.
    pub fn of(world: &World) -> &Self {
        world.projection()
    }

    /// Returns the newest visible messages, oldest first.
    pub fn messages(&self) -> &VecDeque<Arc<Message>> {
        &self.messages
    }

    /// Returns the live intents, newest first.
    pub fn live_intents(&self, now: DateTime<Utc>) -> impl Iterator<Item = &Arc<LiveIntent>> {
        self.live_intents.iter(now)
    }

    /// Returns the digests.
    pub fn digests(&self) -> MutexGuard<'_, DigestTracker> {
        self.digests.lock()
    }

    /// Returns the entry of the control log as of which the foldings in memory are known.
    pub(super) fn folding_control_head(&self) -> i64 {
        self.folding_control_head
    }

    /// Replaces the messages and live intents in memory by `newest`, which was read with the foldings as of
    /// `folding_control_head`. If only a folding has changed since, it requests another reading instead.
    pub(super) fn replace_messages(&mut self, folding_control_head: i64, newest: NewestMessages, size: Size) {
        if self.folding_control_head == folding_control_head {
            (self.must_be_read, self.has_older_messages) = (false, false);
            self.revision += 1;
            self.load_messages(newest, size);
        } else {
            self.must_be_read = true;
        }
    }

    /// Folds and unfolds messages in memory, as of this entry of the control log. Returns false if a later
    /// entry has been applied already.
    pub(super) fn set_folded(&mut self, control_head: i64, foldings: &[MessageFolding]) -> bool {
        if control_head < self.folding_control_head {
            return false;
        }
        self.folding_control_head = control_head;
        for folding in foldings {
            self.live_intents.set_folded(folding.seq, folding.folded);
            let found = self.messages.iter_mut().find(|message| message.seq == folding.seq);
            if let Some(message) = found.filter(|message| message.folded != folding.folded) {
                Arc::make_mut(message).folded = folding.folded;
                self.revision += 1;
            }
        }
        true
    }

    fn load_messages(&mut self, newest: NewestMessages, size: Size) {
        self.messages.clear();
        newest.messages.into_iter().for_each(|message| self.push_message(message.into()));
        self.live_intents = LiveIntents::default();
        newest.live_intents.into_iter().for_each(|intent| self.live_intents.push(&intent.into(), size));
    }

    fn push_message(&mut self, message: Arc<Message>) {
        self.messages.push_back(message);
        if self.messages.len() > MAX_CACHED_MESSAGES {
            self.messages.pop_front();
            self.has_older_messages = true;
        }
    }

    fn apply_message(&mut self, message: &Arc<Message>, size: Size) {
        self.digests.get_mut().record(&ChatChange::Posted(message.id.clone()), message.timestamp);
        self.live_intents.push(message, size);
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
        self.messages.retain(|message| message.id != visibility_change.message_id);
        self.live_intents.remove(&visibility_change.message_id);
        self.must_be_read |=
            !hidden || self.has_older_messages && self.messages.len() < MAX_CACHED_MESSAGES / 2;
    }

    fn apply_edit(&mut self, edit: &TextEdit) {
        self.live_intents.set_text(edit);
        if let Some(message) = self.find_mut(&edit.message_id) {
            edit.apply_to(Arc::make_mut(message));
        }
    }

    fn apply_intent_change(&mut self, change: &IntentChange, size: Size) {
        self.live_intents.change(&change.message_id, &change.details, size);
        if let Some(message) = self.find_mut(&change.message_id) {
            Arc::make_mut(message).intent = Some(change.details.clone());
        }
    }

    fn apply_reaction(&mut self, reaction: &ReactionUpdate) {
        if let Some(message) = self.find_mut(&reaction.message_id) {
            Arc::make_mut(message).reactions.clone_from(&reaction.reactions);
        }
    }

    /// Begins a season with an empty chat. The digests of the last one remain valid for a while.
    fn start_season(&mut self, start: &SeasonStart) {
        self.digests.get_mut().record(&ChatChange::Cleared, start.opened_at);
        self.revision = 0;
        (self.has_older_messages, self.must_be_read) = (false, false);
        self.messages.clear();
        self.live_intents = LiveIntents::default();
    }

    fn find_mut(&mut self, message_id: &str) -> Option<&mut Arc<Message>> {
        self.messages.iter_mut().find(|message| message.id == message_id)
    }
}

impl Projection for Chat {
    fn load<'a>(
        &'a mut self,
        connection: &'a mut PgConnection,
        context: LoadContext<'a>,
    ) -> SqlFuture<'a, ()> {
        Box::pin(async move {
            self.digests = Mutex::new(load_digests(connection, context).await?);
            let LoadContext { season, head, now, .. } = context;
            let newest = store::newest_messages(connection, season.seq, head, now).await?;
            self.load_messages(newest, season.size);
            self.version = head;
            Ok(())
        })
    }

    fn apply(&mut self, event: &Event, applied: AppliedEvent<'_>) {
        let size = applied.canvas.size;
        self.must_be_read |= applied.outdates_others;
        match event {
            Event::Chat(message) => self.apply_message(message, size),
            Event::Reaction(reaction) => self.apply_reaction(reaction),
            Event::Edited(edit) => self.apply_edit(edit),
            Event::Hidden(change) => self.apply_visibility_change(change, true),
            Event::Restored(change) => self.apply_visibility_change(change, false),
            Event::Deleted(change) => self.remove_message(change, true),
            Event::Intent(change) => self.apply_intent_change(change, size),
            Event::Season(start) => self.start_season(start),
            Event::Pixel(_) | Event::Plan(_) => return,
        }
        self.version = event.seq();
    }

    fn rename_author(&mut self, author: &Arc<str>, name: &Arc<str>) {
        for message in &mut self.messages {
            if message.agent_id.as_ref() == Some(author) && message.agent_name != *name {
                Arc::make_mut(message).agent_name = name.clone();
                self.revision += 1;
            }
        }
        self.live_intents.rename_author(author, name);
    }

    fn author_ids(&self) -> Vec<Arc<str>> {
        self.messages.iter().filter_map(|message| message.agent_id.clone()).collect()
    }

    /// Returns entries for own events and for all foldings, and requests that messages are read again.
    fn missed_entries(&mut self) -> Vec<ControlEntry> {
        self.must_be_read = true;
        let foldings = self.messages.iter().map(|message| ControlEntry::FoldingChanged(message.seq));
        std::iter::once(ControlEntry::ShadowPosted(AccountNo::OPERATOR)).chain(foldings).collect()
    }
}

/// Returns the digests that were current within the time for which digests are remembered.
async fn load_digests(
    connection: &mut PgConnection,
    context: LoadContext<'_>,
) -> Result<DigestTracker, sqlx::Error> {
    let window = TimeDelta::seconds(context.game.digest_seconds.into());
    let changes = store::chat_changes(connection, MAX_CHAT_CHANGES_READ).await?;
    let remembered_since = context.now - DIGEST_RETENTION;
    // Older digests were current too long ago to be accepted.
    let old = changes.partition_point(|(_, at)| *at < remembered_since);
    let (old, recent) = changes.split_at(old.max(changes.len().saturating_sub(MAX_RETAINED_DIGESTS)));
    let start = old.last().map_or(context.season.opened_at, |(_, at)| *at);
    let mut tracker = DigestTracker::new(*context.secret, window, start);
    let seeds: Vec<ChatChange> = old.iter().map(|(change, _)| change.clone()).collect();
    tracker.seed(&seeds, start);
    recent.iter().for_each(|(change, at)| tracker.record(change, *at));
    Ok(tracker)
}

#[cfg(test)]
mod tests {
    use caraplace_live::event::PlacementEvent;
    use caraplace_log::canvas::Canvas;
    use rules::grid::Point;

    use super::*;

    #[test]
    fn messages_change_its_version_and_pixels_do_not() {
        let canvas = Canvas::blank(Size { width: 8, height: 8 }, Seq(1));
        let applied = AppliedEvent { canvas: &canvas, covered: None, outdates_others: false };
        let mut chat = Chat::default();
        let message = Message::without_text("msg_a".into(), Seq(2), DateTime::UNIX_EPOCH);
        chat.apply(&Event::Chat(message.into()), applied);
        let point = Point { x: 1, y: 2 };
        let pixel = PlacementEvent { seq: Seq(3), point, color: 5, agent: "agent_a".into(), painter: 7 };
        chat.apply(&Event::Pixel(pixel), applied);
        assert_eq!((chat.version, chat.messages.len()), (Seq(2), 1));
    }
}
