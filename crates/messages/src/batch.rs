//! Posts messages and reacts to them in a batch, and changes intents, each for an audience.

use std::sync::Arc;

use caraplace_live::event::{Event, IntentChange, ReactionUpdate};
use caraplace_log::batch_context::BatchContext;
use platform::clock;
use rules::audience::Audience;
use rules::digest::{ChatChange, Digest};
use rules::intent::IntentDetails;
use rules::message::{Message, ReactionCount};
use rules::numbers::{AccountNo, Seq};

use super::changes::Mention;
use super::chat::Chat;
use super::known::StoredIntent;
use super::part::Messages;
use super::shadow::changes::ShadowIntentChange;
use super::shadow::message::ShadowMessage;

/// Returns true if a message of the season exists and is not hidden; its text may have been deleted.
pub fn has_message(context: &BatchContext<'_>, id: &str) -> bool {
    let found = context.part::<Messages>().known.messages.get(id);
    found.is_some_and(|found| found.is_visible_in_season(context.season.seq))
}

/// Returns the number of the next event for an audience: a new one for everyone, that of the newest event for
/// its author alone, who sees it behind that one.
pub(super) fn next_seq(context: &BatchContext<'_>, audience: Audience) -> Seq {
    match audience {
        Audience::Everyone => context.next_seq(),
        Audience::Author(_) => context.head(),
    }
}

/// Appends an event to the log, or to those that only its author sees. Its number must be that of
/// [`next_seq`]. `logged_author` is the account whose event it is, if the log stores that.
pub(super) fn append(
    context: &mut BatchContext<'_>,
    audience: Audience,
    event: Event,
    logged_author: Option<AccountNo>,
) {
    match audience {
        Audience::Everyone => context.append_event(event, logged_author),
        Audience::Author(author) => context.part_mut::<Messages>().append_own(author, event),
    }
}

/// Posts a message for an audience: assigns its number, id and time.
pub fn post_message(
    context: &mut BatchContext<'_>,
    audience: Audience,
    author: Option<AccountNo>,
    mut message: Message,
) -> Arc<Message> {
    message.id = clock::new_id("msg");
    append_message(context, audience, author, message)
}

/// Posts a message that has an id: assigns its number and time.
pub(super) fn append_message(
    context: &mut BatchContext<'_>,
    audience: Audience,
    author: Option<AccountNo>,
    mut message: Message,
) -> Arc<Message> {
    message.seq = next_seq(context, audience);
    (message.timestamp, message.edited_at) = (context.now, None);
    let message = Arc::new(message);
    append(context, audience, Event::Chat(message.clone()), author);
    let messages = context.part_mut::<Messages>();
    match audience {
        Audience::Everyone => {
            messages.chat_changes.push(ChatChange::Posted(message.id.clone()));
            messages.changes.messages.push((author, message.clone()));
        }
        Audience::Author(author) => {
            let shadow_message = ShadowMessage::posted(author, message.clone());
            messages.known.shadow_messages.insert(message.id.clone(), shadow_message.clone());
            messages.changes.shadow.messages.push(shadow_message);
        }
    }
    message
}

/// Posts a system message.
pub fn post_system_message(context: &mut BatchContext<'_>, content: String) -> Arc<Message> {
    let message = Message::from_system(content, context.now);
    post_message(context, Audience::Everyone, None, message)
}

/// Adds mentions of these agents by an event, which has posted the message or changed its text.
/// `address_hash` is the hash of the sender's address, if it is known.
pub fn add_mentions(
    context: &mut BatchContext<'_>,
    agents: &[AccountNo],
    seq: Seq,
    message_id: &str,
    address_hash: Option<&[u8; 32]>,
) {
    let mention = |agent: &AccountNo| Mention::new(*agent, seq, message_id, address_hash);
    context.part_mut::<Messages>().changes.mentions.extend(agents.iter().map(mention));
}

/// Returns the digest after the messages decided so far, as the author of the newest one sees it.
pub fn digest_after(context: &BatchContext<'_>, audience: Audience, newest: &Message) -> Digest {
    let changes = &context.part::<Messages>().chat_changes;
    let digests = Chat::of(context.world()).digests();
    let public = digests.preview(changes, context.now);
    match &newest.agent_id {
        Some(author) if !audience.is_everyone() => digests.digest_for_author(public, author, &newest.id),
        _ => public,
    }
}

/// Adds an emoji to a message for an audience, or removes it if it is there. Returns the counts after that,
/// as the agent sees them.
pub fn toggle_reaction(
    context: &mut BatchContext<'_>,
    audience: Audience,
    agent: AccountNo,
    message_id: &str,
    emoji: &str,
) -> Vec<ReactionCount> {
    let seq = next_seq(context, audience);
    let messages = context.part_mut::<Messages>();
    let reactions = messages.record_reaction(audience, agent, message_id, emoji, seq);
    let update = ReactionUpdate { seq, message_id: message_id.to_owned(), reactions };
    append(context, audience, Event::Reaction(update), None);
    context.part::<Messages>().count_reactions_seen(agent, message_id)
}

/// Replaces the details of an intent for an audience, and returns its message.
pub fn change_intent(
    context: &mut BatchContext<'_>,
    audience: Audience,
    stored: StoredIntent,
    details: IntentDetails,
) -> Message {
    let message_id = stored.message.id.clone();
    let seq = next_seq(context, audience);
    let change = IntentChange { seq, message_id: message_id.clone(), details: details.clone() };
    append(context, audience, Event::Intent(change.clone()), None);
    let messages = context.part_mut::<Messages>();
    match audience {
        Audience::Everyone => {
            if stored.own_details.is_some() {
                messages.changes.shadow.ended_views.push(message_id.clone());
            }
            messages.changes.intents.push(change);
        }
        Audience::Author(author) => messages.changes.shadow.intents.push(ShadowIntentChange {
            author,
            message_id: change.message_id,
            details: change.details,
            audience: stored.audience,
        }),
    }
    let message = Message { intent: Some(details.clone()), ..stored.message.clone() };
    let changed = if audience == stored.audience {
        StoredIntent { message: message.clone(), own_details: None, audience }
    } else {
        StoredIntent { own_details: Some(details), ..stored }
    };
    messages.known.intents.insert(message_id, changed);
    message
}
