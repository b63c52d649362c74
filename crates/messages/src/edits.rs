//! Changes of texts by their authors, in a batch. Neither an edit nor a deletion changes a digest.

use std::sync::Arc;

use caraplace_live::event::{Event, TextEdit, VisibilityChange};
use caraplace_log::batch_context::{Account, BatchContext};
use rules::audience::Audience;
use rules::message::Message;
use rules::numbers::{AccountNo, Seq};

use super::batch::{add_mentions, append, next_seq};
use super::changes::TextChange;
use super::part::Messages;
use super::shadow::message::ShadowMessage;

/// Changes the text of a message of this account. A change of a shadow message mentions nobody.
pub fn edit_text(
    context: &mut BatchContext<'_>,
    account: &Account,
    message: Message,
    content: String,
    mentions: &[AccountNo],
    address_hash: Option<&[u8; 32]>,
) -> Message {
    let (seq, audience) = record_text_change(context, account, &message.id, Some(content.clone()));
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
    replace_text(context, &edited);
    edited
}

/// Deletes a message of this account.
pub fn delete_text(context: &mut BatchContext<'_>, account: &Account, message: Message) -> Message {
    let (seq, audience) = record_text_change(context, account, &message.id, None);
    let change = VisibilityChange { seq, message_id: message.id.clone(), at: context.now };
    append(context, audience, Event::Deleted(change), None);
    let messages = context.part_mut::<Messages>();
    if audience.is_everyone() {
        let known = messages.known.messages.entry(message.id.clone());
        known.and_modify(|existing| existing.is_hidden = true);
        messages.known.deleted_messages.insert(message.id.clone());
        messages.changes.shadow.withdrawn_views.push(message.id.clone());
    }
    messages.known.intents.remove(&message.id);
    let deleted = Message { hidden: true, deleted: true, ..message }.public_view().into_owned();
    replace_text(context, &deleted);
    deleted
}

/// Adds a change of a text. Returns the number of its event, and the audience of the message.
fn record_text_change(
    context: &mut BatchContext<'_>,
    account: &Account,
    id: &str,
    content: Option<String>,
) -> (Seq, Audience) {
    let is_public = context.part::<Messages>().known.texts.contains_key(id);
    let author = account.no;
    let audience = Audience::from_stored(!is_public, author);
    let seq = next_seq(context, audience);
    let change = TextChange { message_id: id.to_owned(), seq, audience, author, content };
    context.part_mut::<Messages>().changes.texts.push(change);
    (seq, audience)
}

/// Sets the text of a message for the next commands of the batch.
fn replace_text(context: &mut BatchContext<'_>, changed: &Message) {
    let known = &mut context.part_mut::<Messages>().known;
    if let Some(message) = known.texts.get_mut(&changed.id) {
        *message = changed.clone();
    } else if let Some(ShadowMessage { message, .. }) = known.shadow_messages.get_mut(&changed.id) {
        *message = Arc::new(changed.clone());
    }
    if let Some(intent) = known.intents.get_mut(&changed.id) {
        (intent.message.content, intent.message.edited_at) = (changed.content.clone(), changed.edited_at);
    }
}
