//! The part of a batch that knows public messages, and writes those that are posted and changed.

use std::collections::BTreeSet;

use caraplace_live::event::Event;
use caraplace_live::hub::Hub;
use caraplace_log::batch_context::Account;
use caraplace_log::control_entry::ControlEntry;
use caraplace_log::part::{HeadState, Part};
use caraplace_log::sql_future::SqlFuture;
use chrono::{DateTime, Utc};
use parking_lot::Mutex;
use platform::telemetry::METRICS;
use rules::audience::Audience;
use rules::digest::ChatChange;
use rules::ids::MessageId;
use rules::message::{Message, ReactionCount};
use rules::numbers::{AccountNo, Seq};
use rules::place::Place;
use sqlx::PgConnection;

use super::changes::{MessageChanges, ReactionChange};
use super::known::{KnownMessages, StoredIntent};
use super::reactions::{count_reactions, toggle};
use super::shadow::changes::{NewOwnEvent, ShadowReactionChange};
use super::shadow::message::ShadowMessage;
use super::shadow::view::{ShadowReaction, count_reactions_seen};
use super::store::{self, OwnEventKey};

/// The public messages of a batch, and those that only their authors see.
#[derive(Default)]
pub struct Messages {
    needs: MessageNeeds,
    pub(super) known: KnownMessages,
    pub(super) changes: MessageChanges,
    /// The changes of the visible chat, for the digest after the batch.
    pub(super) chat_changes: Vec<ChatChange>,
    /// An event that only its author sees, once it is written.
    written_own_event: Mutex<Option<OwnEventKey>>,
}

/// The ids of the messages that must be read.
#[derive(Default)]
struct MessageNeeds {
    /// Messages that must exist.
    messages: Vec<String>,
    /// Messages whose reactions are needed.
    reactions: Vec<String>,
    /// Shadow messages to be made public, or to be found by their authors.
    shadow_messages: Vec<String>,
    /// Intents to be changed.
    intents: Vec<String>,
    /// Messages whose texts are needed, of any author.
    texts: Vec<String>,
    /// Messages that their authors may have deleted.
    deletions: Vec<String>,
}

impl Messages {
    /// Requires that it is read whether messages exist, and whether they are hidden.
    pub fn require(&mut self, ids: impl IntoIterator<Item = String>) {
        self.needs.messages.extend(ids);
    }

    /// Requires that the reactions to a message are read.
    pub fn require_reactions(&mut self, id: &MessageId) {
        self.needs.reactions.push(id.as_str().to_owned());
    }

    /// Requires that messages are read that only their authors can see.
    pub fn require_shadow_messages(&mut self, ids: impl IntoIterator<Item = String>) {
        self.needs.shadow_messages.extend(ids);
    }

    /// Requires that an intent is read.
    pub fn require_intent(&mut self, id: &MessageId) {
        self.needs.intents.push(id.as_str().to_owned());
    }

    /// Requires that a message is read with its text, whoever can see it, and with everything that its author
    /// sees of it.
    pub fn require_text(&mut self, id: &MessageId) {
        self.needs.texts.push(id.as_str().to_owned());
        self.needs.shadow_messages.push(id.as_str().to_owned());
        self.require_reactions(id);
        self.require_intent(id);
    }

    /// Requires that it is read whether its author has deleted a message.
    pub fn require_deletion(&mut self, id: &MessageId) {
        self.needs.deletions.push(id.as_str().to_owned());
    }

    /// Returns true if a message is hidden, including changes of this batch; `None` if it does not exist.
    pub fn is_hidden(&self, id: &str) -> Option<bool> {
        self.known.messages.get(id).map(|message| message.is_hidden)
    }

    /// Returns a required intent, including changes of this batch; `None` if there is no visible one.
    pub fn intent(&self, id: &str) -> Option<&StoredIntent> {
        self.known.intents.get(id)
    }

    /// Returns a required message of any author as this account sees it, including changes of this batch: a
    /// public one, or an own shadow message. `None` if there is none, or if its text was deleted from the
    /// database.
    pub fn find_text(&self, account: &Account, id: &str) -> Option<Message> {
        let shadow = self.known.shadow_messages.get(id).filter(|shadow| shadow.author == account.no);
        let shadow = shadow.map(|ShadowMessage { message, .. }| &**message);
        let mut message = self.known.texts.get(id).or(shadow)?.clone();
        message.reactions = self.count_reactions_seen(account.no, id);
        if message.agent_id.as_ref() == Some(&account.id) {
            self.apply_own_view(&mut message);
        }
        Some(message)
    }

    /// Changes the text and the details of a required message to what its author sees of them.
    pub fn apply_own_view(&self, message: &mut Message) {
        if message.hidden {
            return;
        }
        if let Some(text) = self.known.own_texts.get(&message.id) {
            text.apply_to(message);
        }
        if let Some(details) = self.intent(&message.id).and_then(|stored| stored.own_details.as_ref()) {
            message.intent = Some(details.clone());
        }
    }

    /// Returns true if the author of a message has deleted it, including changes of this batch.
    pub fn is_deleted(&self, id: &str) -> bool {
        self.known.deleted_messages.contains(id)
    }

    /// Records that an emoji is toggled for an audience, by an event with this number, which the caller
    /// appends. Returns the counts after that, as the audience sees them.
    pub fn record_reaction(
        &mut self,
        audience: Audience,
        account: AccountNo,
        message_id: &str,
        emoji: &str,
        seq: Seq,
    ) -> Vec<ReactionCount> {
        match audience {
            Audience::Everyone => self.toggle_public_reaction(account, message_id, emoji, seq),
            Audience::Author(_) => {
                self.toggle_shadow_reaction(account, message_id, emoji, seq);
                self.count_reactions_seen(account, message_id)
            }
        }
    }

    fn toggle_public_reaction(
        &mut self,
        agent: AccountNo,
        message_id: &str,
        emoji: &str,
        seq: Seq,
    ) -> Vec<ReactionCount> {
        let reactions = self.known.reactions.entry(message_id.to_owned()).or_default();
        let added = toggle(reactions, agent, emoji, seq);
        let counts = count_reactions(reactions);
        let message_id = message_id.to_owned();
        let emoji = emoji.to_owned();
        self.changes.reactions.push(ReactionChange { seq, message_id, agent, emoji, added });
        counts
    }

    fn toggle_shadow_reaction(&mut self, agent: AccountNo, message_id: &str, emoji: &str, after_seq: Seq) {
        let public = self.known.reactions.get(message_id).map(Vec::as_slice).unwrap_or_default();
        let is_public = public.iter().any(|reaction| reaction.agent == agent && reaction.emoji == emoji);
        let reactions = self.known.shadow_reactions.entry(message_id.to_owned()).or_default();
        let count_before = reactions.len();
        reactions.retain(|reaction| reaction.agent != agent || reaction.emoji != emoji);
        // The account sees again what everyone sees if it has toggled the same emoji before.
        let added = (reactions.len() == count_before).then_some(!is_public);
        let message_id = message_id.to_owned();
        let emoji = emoji.to_owned();
        if let Some(added) = added {
            reactions.push(ShadowReaction { agent, emoji: emoji.clone(), added, after_seq });
        }
        let change = ShadowReactionChange { agent, message_id, emoji, added, after_seq };
        self.changes.shadow.reactions.push(change);
    }

    /// Appends an event that only its author sees, under the number of the newest event before it.
    pub fn append_own(&mut self, author: AccountNo, event: Event) {
        self.changes.shadow.events.push(NewOwnEvent { author, event });
    }

    /// Counts the reactions to a message as an account sees them.
    pub(super) fn count_reactions_seen(&self, account: AccountNo, message_id: &str) -> Vec<ReactionCount> {
        count_reactions_seen(account, &self.known.reactions, &self.known.shadow_reactions, message_id)
    }
}

impl Part for Messages {
    fn has_needs(&self) -> bool {
        let MessageNeeds { messages, reactions, shadow_messages, intents, texts, deletions } = &self.needs;
        let all = [messages, reactions, shadow_messages, intents, texts, deletions];
        all.iter().any(|ids| !ids.is_empty())
    }

    fn read<'a>(&'a mut self, connection: &'a mut PgConnection, _: HeadState<'a>) -> SqlFuture<'a, ()> {
        Box::pin(async {
            let needs = &self.needs;
            let changed = [needs.texts.as_slice(), needs.intents.as_slice()].concat();
            let shadow_messages = store::shadow_messages_by_ids(connection, &needs.shadow_messages).await?;
            let by_id = |shadow: ShadowMessage| (shadow.message.id.clone(), shadow);
            self.known = KnownMessages {
                messages: store::existing_messages(connection, &needs.messages).await?,
                reactions: store::reactions(connection, &needs.reactions).await?,
                shadow_reactions: store::shadow_reactions(connection, &needs.reactions).await?,
                shadow_messages: shadow_messages.into_iter().map(by_id).collect(),
                intents: store::intents_by_ids(connection, &needs.intents).await?,
                texts: store::messages_by_ids(connection, &needs.texts).await?,
                own_texts: store::own_texts(connection, &changed, None).await?,
                deleted_messages: store::deleted_messages(connection, &needs.deletions).await?,
            };
            Ok(())
        })
    }

    fn has_changes(&self) -> bool {
        !self.changes.is_empty()
    }

    fn write<'a>(&'a self, connection: &'a mut PgConnection, now: DateTime<Utc>) -> SqlFuture<'a, ()> {
        Box::pin(async move {
            let own_event = store::write_changes(connection, &self.changes, now).await?;
            *self.written_own_event.lock() = own_event;
            Ok(())
        })
    }

    /// Returns true if the event is stored that only its author sees, which every change of a shadow-banned
    /// account has; `None` if none was written. Public changes are proved by their events in the log.
    fn is_stored<'a>(&'a self, connection: &'a mut PgConnection) -> SqlFuture<'a, Option<bool>> {
        let own_event = *self.written_own_event.lock();
        Box::pin(async move {
            let Some(key) = own_event else { return Ok(None) };
            store::has_own_event(connection, key).await.map(Some)
        })
    }

    /// Returns one entry per author, by which every instance sends own events to that author's streams.
    fn control_entries(&self) -> Vec<ControlEntry> {
        let authors: BTreeSet<AccountNo> =
            self.changes.shadow.events.iter().map(|event| event.author).collect();
        authors.into_iter().map(ControlEntry::ShadowPosted).collect()
    }

    fn publish<'a>(&'a self, connection: &'a mut PgConnection, hub: &'a Hub) -> SqlFuture<'a, ()> {
        Box::pin(async {
            if self.changes.shadow.events.is_empty() {
                Ok(())
            } else {
                store::publish_own(connection, hub).await
            }
        })
    }

    fn count_in_metrics(&self) {
        METRICS.messaging.posted(Place::Public).inc_by(self.changes.messages.len() as u64);
    }
}
