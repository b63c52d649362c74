//! Reads the events of public messages.

use std::collections::HashMap;

use caraplace_live::event::{Event, IntentChange, ReactionUpdate, TextEdit, VisibilityChange};
use caraplace_log::nouns::{EventReader, StoredEvent};
use caraplace_log::sql_future::SqlFuture;
use rules::intent::IntentDetails;
use rules::message::Message;
use rules::numbers::Seq;
use sqlx::PgConnection;

use super::Result;
use super::edits::current_texts;
use super::intents::details_by_ids;
use super::messages::{MessageRange, messages, reactions};
use crate::reactions::count_reactions;

/// The events of public messages.
pub const MESSAGE_EVENTS: EventReader = EventReader {
    kinds: &["chat", "edited", "reaction", "intent", "hidden", "restored", "deleted"],
    read: read_events,
};

fn read_events<'a>(
    connection: &'a mut PgConnection,
    events: &'a [StoredEvent],
) -> SqlFuture<'a, HashMap<Seq, Event>> {
    Box::pin(async {
        let ids_of = |kind: &str| -> Vec<String> {
            events.iter().filter(|event| event.kind == kind).map(|event| event.id.clone()).collect()
        };
        let mut messages_by_seq = messages_by_seq(connection, events).await?;
        let reactions_by_message = reactions(connection, &ids_of("reaction")).await?;
        let details_by_intent = details_by_ids(connection, &ids_of("intent")).await?;
        let texts_by_id = current_texts(connection, &ids_of("edited")).await?;
        let to_event = |StoredEvent { seq, kind, id, at }: &StoredEvent| {
            let (seq, id, at) = (*seq, id.clone(), *at);
            match kind.as_str() {
                "chat" => {
                    let message = messages_by_seq.remove(&seq);
                    Event::Chat(message.unwrap_or_else(|| Message::without_text(id, seq, at)).into())
                }
                "edited" => {
                    let (content, hidden) = texts_by_id.get(&id).cloned().unwrap_or_default();
                    Event::Edited(TextEdit { seq, message_id: id, content, at, hidden })
                }
                "reaction" => {
                    let given = reactions_by_message.get(&id).map(Vec::as_slice).unwrap_or_default();
                    Event::Reaction(ReactionUpdate { seq, message_id: id, reactions: count_reactions(given) })
                }
                "intent" => {
                    let details = details_by_intent.get(&id).cloned();
                    let details = details.unwrap_or_else(|| IntentDetails::withdrawn(at));
                    Event::Intent(IntentChange { seq, message_id: id, details })
                }
                "hidden" => Event::Hidden(VisibilityChange { seq, message_id: id, at }),
                "restored" => Event::Restored(VisibilityChange { seq, message_id: id, at }),
                _ => Event::Deleted(VisibilityChange { seq, message_id: id, at }),
            }
        };
        Ok(events.iter().map(to_event).map(|event| (event.seq(), event)).collect())
    })
}

/// Returns the messages that were posted with these events, without those whose texts were deleted.
async fn messages_by_seq(
    connection: &mut PgConnection,
    events: &[StoredEvent],
) -> Result<HashMap<Seq, Message>> {
    let mut posted = events.iter().filter(|event| event.kind == "chat").map(|event| event.seq);
    let Some(first) = posted.next() else { return Ok(HashMap::new()) };
    let last = posted.next_back().unwrap_or(first);
    let range = MessageRange {
        author: None,
        after: first.previous(),
        before: last.next(),
        since: None,
        limit: last.events_since(first) + 1,
        include_hidden: true,
    };
    let found = messages(connection, &range).await?;
    Ok(found.into_iter().map(|message| (message.seq, message)).collect())
}
