//! Changes of texts by their authors, as part of a batch. Neither an edit nor a deletion changes a digest.

use std::sync::Arc;

use rules::ids::MessageId;
use rules::message::Message;
use rules::numbers::{AccountNo, Seq};

use super::batch_context::{Account, BatchContext};
use super::batch_effects::{Mention, TextChange};
use super::shadow_effects::ShadowEventKind;
use super::shadow_message::ShadowMessage;
use crate::log::live::event::{Event, TextEdit, VisibilityChange};

impl BatchContext<'_> {
    /// Returns a requested message of any author that this account can see, including changes of this batch:
    /// a public one, or an own shadow message. `None` if there is none, or if its text was deleted from the
    /// database.
    pub fn find_text(&self, account: &Account, id: &str) -> Option<&Message> {
        let shadow = self.lookups.shadow_messages.get(id).filter(|shadow| shadow.author == account.no);
        self.lookups.own_messages.get(id).or_else(|| shadow.map(|shadow| &*shadow.message))
    }

    /// Returns true if a message found by [`Self::find_text`] is no shadow message.
    pub fn is_public(&self, id: &MessageId) -> bool {
        self.lookups.own_messages.contains_key(id.as_str())
    }

    /// Returns true if the author of a message has deleted it, including changes of this batch.
    pub fn is_deleted(&self, id: &str) -> bool {
        self.lookups.deleted_messages.contains(id)
    }

    /// Changes the text of a message of this account. A change of a shadow message is an event for its author
    /// only, and mentions nobody.
    pub fn edit_text(
        &mut self,
        account: &Account,
        message: Message,
        content: String,
        mentions: &[AccountNo],
        address_hash: Option<&[u8; 32]>,
    ) -> Message {
        let (seq, is_shadow_message) = self.record_text_change(account, &message.id, Some(content.clone()));
        let edit = TextEdit {
            seq,
            message_id: message.id.clone(),
            content: Some(content),
            at: self.now,
            hidden: false,
        };
        let mut edited = message;
        edit.apply_to(&mut edited);
        if is_shadow_message {
            self.add_shadow_event(account.no, ShadowEventKind::Edited, &edited.id);
        } else {
            let mention = |agent: &AccountNo| Mention::new(*agent, seq, &edited.id, address_hash);
            self.effects.mentions.extend(mentions.iter().map(mention));
            self.append_event(Event::Edited(edit), None);
        }
        self.replace_text(&edited);
        edited
    }

    /// Deletes a message of this account. The deletion of a shadow message is an event for its author only.
    pub fn delete_text(&mut self, account: &Account, message: Message) -> Message {
        let (seq, is_shadow_message) = self.record_text_change(account, &message.id, None);
        if is_shadow_message {
            self.add_shadow_event(account.no, ShadowEventKind::Hidden, &message.id);
        } else {
            let change = VisibilityChange { seq, message_id: message.id.clone(), at: self.now };
            self.append_event(Event::Deleted(change), None);
            let known = self.lookups.messages.entry(message.id.clone());
            known.and_modify(|existing| existing.is_hidden = true);
            self.lookups.deleted_messages.insert(message.id.clone());
            self.effects.shadow.withdrawn_views.push(message.id.clone());
        }
        self.lookups.intents.remove(&message.id);
        let deleted = Message { hidden: true, deleted: true, ..message }.public_view().into_owned();
        self.replace_text(&deleted);
        deleted
    }

    /// Adds a change to the effects. Returns the number of its event, or of the one before it for a shadow
    /// message, and whether it is a shadow message.
    fn record_text_change(&mut self, account: &Account, id: &str, content: Option<String>) -> (Seq, bool) {
        let is_shadow_message = !self.lookups.own_messages.contains_key(id);
        let seq = if is_shadow_message { self.head } else { self.next_seq() };
        let message_id = id.to_owned();
        let author = account.no;
        self.effects.text_changes.push(TextChange { message_id, seq, is_shadow_message, author, content });
        (seq, is_shadow_message)
    }

    /// Sets the text of a message for the next commands of the batch.
    fn replace_text(&mut self, changed: &Message) {
        if let Some(message) = self.lookups.own_messages.get_mut(&changed.id) {
            *message = changed.clone();
        } else if let Some(ShadowMessage { message, .. }) = self.lookups.shadow_messages.get_mut(&changed.id)
        {
            *message = Arc::new(changed.clone());
        }
        if let Some(intent) = self.lookups.intents.get_mut(&changed.id) {
            (intent.message.content, intent.message.edited_at) = (changed.content.clone(), changed.edited_at);
        }
    }
}
