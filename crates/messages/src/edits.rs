//! Changes of texts by their authors, in a batch. Neither an edit nor a deletion changes a digest.

use std::sync::Arc;

use caraplace_live::event::{Event, TextEdit, VisibilityChange};
use caraplace_log::batch_context::{Account, BatchContext};
use rules::message::Message;
use rules::numbers::{AccountNo, Seq};

use super::batch::{add_mentions, append, next_seq};
use super::changes::{ChangedText, TextChange};
use super::part::Messages;
use super::shadow::message::ShadowMessage;
use super::shadow::view::OwnText;

/// Changes the text of a message of this account. A change by a shadow-banned author, and that of a shadow
/// message, mentions nobody.
pub fn edit_text(
    context: &mut BatchContext<'_>,
    account: &Account,
    message: Message,
    content: String,
    mentions: &[AccountNo],
    address_hash: Option<&[u8; 32]>,
) -> Message {
    let text = match changed_text(context, &message.id) {
        ChangedText::Public if !account.audience().is_everyone() => ChangedText::OwnText,
        text => text,
    };
    let audience = text.audience(account.no);
    let seq = record_text_change(context, account, &message.id, text, Some(content.clone()));
    let edit = TextEdit {
        seq,
        message_id: message.id.clone(),
        content: Some(content),
        at: context.now,
        hidden: false,
    };
    let mut edited = message;
    edit.apply_to(&mut edited);
    append(context, audience, Event::Edited(edit), None);
    if audience.is_everyone() {
        add_mentions(context, mentions, seq, &edited.id, address_hash);
    }
    replace_text(context, &edited, text);
    edited
}

/// Deletes a message of this account.
pub fn delete_text(context: &mut BatchContext<'_>, account: &Account, message: Message) -> Message {
    let text = changed_text(context, &message.id);
    let seq = record_text_change(context, account, &message.id, text, None);
    let change = VisibilityChange { seq, message_id: message.id.clone(), at: context.now };
    append(context, text.audience(account.no), Event::Deleted(change), None);
    let messages = context.part_mut::<Messages>();
    if text == ChangedText::Public {
        let known = messages.known.messages.entry(message.id.clone());
        known.and_modify(|existing| existing.is_hidden = true);
        messages.known.deleted_messages.insert(message.id.clone());
        messages.changes.shadow.withdrawn_views.push(message.id.clone());
    }
    messages.known.intents.remove(&message.id);
    let deleted = Message { hidden: true, deleted: true, ..message }.public_view().into_owned();
    replace_text(context, &deleted, text);
    deleted
}

/// Returns the text of a message that a change for all its readers changes.
fn changed_text(context: &BatchContext<'_>, id: &str) -> ChangedText {
    let is_public = context.part::<Messages>().known.texts.contains_key(id);
    if is_public { ChangedText::Public } else { ChangedText::ShadowMessage }
}

/// Adds a change of a text. Returns the number of its event, or of the one before it if only the author sees
/// the change.
fn record_text_change(
    context: &mut BatchContext<'_>,
    account: &Account,
    id: &str,
    text: ChangedText,
    content: Option<String>,
) -> Seq {
    let author = account.no;
    let seq = next_seq(context, text.audience(author));
    let change = TextChange { message_id: id.to_owned(), seq, text, author, content };
    context.part_mut::<Messages>().changes.texts.push(change);
    seq
}

/// Sets the text of a message for the next commands of the batch.
fn replace_text(context: &mut BatchContext<'_>, changed: &Message, text: ChangedText) {
    let known = &mut context.part_mut::<Messages>().known;
    if text == ChangedText::OwnText {
        let content = changed.content.clone().unwrap_or_default();
        let edited_at = changed.edited_at.unwrap_or(changed.timestamp);
        known.own_texts.insert(changed.id.clone(), OwnText { content, edited_at });
        return;
    }
    known.own_texts.remove(&changed.id);
    if let Some(message) = known.texts.get_mut(&changed.id) {
        *message = changed.clone();
    } else if let Some(ShadowMessage { message, .. }) = known.shadow_messages.get_mut(&changed.id) {
        *message = Arc::new(changed.clone());
    }
    if let Some(intent) = known.intents.get_mut(&changed.id) {
        (intent.message.content, intent.message.edited_at) = (changed.content.clone(), changed.edited_at);
    }
}
