//! The part of a batch that only the authors see: what shadow-banned accounts do.

use std::sync::Arc;

use platform::clock;
use rules::digest::Digest;
use rules::intent::IntentDetails;
use rules::message::{Message, ReactionCount};
use rules::numbers::AccountNo;

use super::batch_context::{BatchContext, StoredIntent};
use super::existing_message::ExistingMessage;
use super::shadow_effects::{ShadowEvent, ShadowEventKind, ShadowIntentChange, ShadowReactionChange};
use super::shadow_message::ShadowMessage;
use super::shadow_view::{ShadowReaction, count_reactions_seen};

impl BatchContext<'_> {
    /// Posts a shadow message, which only its author can see: assigns its id and time, and the number of the
    /// event before it. `names_shadow_plan` is true if only the author can see its plan, too.
    pub fn post_shadow_message(
        &mut self,
        author: AccountNo,
        mut message: Message,
        names_shadow_plan: bool,
    ) -> Arc<Message> {
        message.id = clock::new_id("msg");
        (message.seq, message.timestamp) = (self.head, self.now);
        let message = Arc::new(message);
        let no = 0;
        let after_seq = self.head;
        let shadow_message =
            ShadowMessage { no, author, after_seq, message: message.clone(), names_shadow_plan };
        self.lookups.shadow_messages.insert(message.id.clone(), shadow_message.clone());
        self.effects.shadow.messages.push(shadow_message);
        self.add_shadow_event(author, ShadowEventKind::Chat, &message.id);
        message
    }

    /// Returns true if an account alone can see a message of the season, and has not deleted it.
    pub fn is_own_shadow_message(&self, account: AccountNo, id: &str) -> bool {
        let is_visible = |shadow: &ShadowMessage| {
            shadow.author == account && !shadow.message.deleted && shadow.after_seq >= self.season.seq
        };
        self.lookups.shadow_messages.get(id).is_some_and(is_visible)
    }

    /// Makes a shadow message public as it is now; `None` if it is no shadow message, or deleted. A reply to
    /// a message that is not public becomes a message without a target; likewise, only a public plan stays
    /// named.
    pub fn release_shadow_message(&mut self, id: &str) -> Option<Arc<Message>> {
        let shadow = self.lookups.shadow_messages.remove(id);
        let ShadowMessage { author, message, names_shadow_plan, .. } =
            shadow.filter(|shadow| !shadow.message.deleted)?;
        let mut current =
            self.lookups.intents.remove(id).map_or_else(|| Message::clone(&message), |stored| stored.message);
        current.reply_to = current.reply_to.filter(|target| self.is_hidden(target).is_some());
        current.plan_id = current.plan_id.filter(|_| !names_shadow_plan);
        let message = self.append_message(Some(author), current);
        let released = ExistingMessage { seq: message.seq, is_hidden: false };
        self.lookups.messages.insert(message.id.clone(), released);
        self.effects.shadow.released.push((message.id.clone(), message.seq));
        Some(message)
    }

    /// Returns the digest after this batch, as the author of the shadow message `newest_id` sees it.
    pub fn digest_for(&self, author: &str, newest_id: &str) -> Digest {
        let public = self.digest();
        self.world().digests().digest_for_author(public, author, newest_id)
    }

    /// Counts the reactions to a message as an account sees them.
    pub(super) fn count_reactions_seen(&self, account: AccountNo, message_id: &str) -> Vec<ReactionCount> {
        let public = self.lookups.reactions.get(message_id).map(Vec::as_slice).unwrap_or_default();
        let own = self.lookups.shadow_reactions.get(message_id).map(Vec::as_slice).unwrap_or_default();
        count_reactions_seen(account, public, own)
    }

    /// Returns true if an account sees its own reaction otherwise than everyone else.
    pub fn has_shadow_reaction(&self, account: AccountNo, message_id: &str, emoji: &str) -> bool {
        let mut reactions = self.lookups.shadow_reactions.get(message_id).into_iter().flatten();
        reactions.any(|reaction| reaction.agent == account && reaction.emoji == emoji)
    }

    /// Toggles an emoji so that only the account sees it. Returns the counts after that, as it sees them.
    pub fn toggle_shadow_reaction(
        &mut self,
        account: AccountNo,
        message_id: &str,
        emoji: &str,
    ) -> Vec<ReactionCount> {
        let public = self.lookups.reactions.get(message_id).map(Vec::as_slice).unwrap_or_default();
        let is_public = public.iter().any(|reaction| reaction.agent == account && reaction.emoji == emoji);
        let reactions = self.lookups.shadow_reactions.entry(message_id.to_owned()).or_default();
        let count_before = reactions.len();
        reactions.retain(|reaction| reaction.agent != account || reaction.emoji != emoji);
        // The account sees again what everyone sees if it has toggled the same emoji before.
        let added = (reactions.len() == count_before).then_some(!is_public);
        if let Some(added) = added {
            let after_seq = self.head;
            reactions.push(ShadowReaction { agent: account, emoji: emoji.to_owned(), added, after_seq });
        }
        self.effects.shadow.reactions.push(ShadowReactionChange {
            agent: account,
            message_id: message_id.to_owned(),
            emoji: emoji.to_owned(),
            added,
            after_seq: self.head,
        });
        self.add_shadow_event(account, ShadowEventKind::Reaction, message_id);
        self.count_reactions_seen(account, message_id)
    }

    /// Replaces the details of an intent so that only its author sees the change, and returns its message.
    pub fn change_shadow_intent(
        &mut self,
        author: AccountNo,
        stored: StoredIntent,
        details: IntentDetails,
    ) -> Message {
        let message_id = stored.message.id.clone();
        let is_shadow_message = stored.is_shadow_message;
        self.effects.shadow.intents.push(ShadowIntentChange {
            author,
            message_id: message_id.clone(),
            details: details.clone(),
            is_shadow_message,
        });
        self.add_shadow_event(author, ShadowEventKind::Intent, &message_id);
        let changed = Message { intent: Some(details.clone()), ..stored.message.clone() };
        let stored = if is_shadow_message {
            StoredIntent { message: changed.clone(), ..stored }
        } else {
            StoredIntent { own_details: Some(details), ..stored }
        };
        self.lookups.intents.insert(message_id, stored);
        changed
    }

    /// Adds an event that only its author sees, after the newest public one.
    pub(super) fn add_shadow_event(&mut self, author: AccountNo, kind: ShadowEventKind, message_id: &str) {
        let after_seq = self.head;
        let message_id = message_id.to_owned();
        self.effects.shadow.events.push(ShadowEvent { author, after_seq, kind, message_id });
    }
}
