//! Chat pages that include an author's own shadow messages.

use std::sync::Arc;

use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use caraplace_messages::MessageRange;
use caraplace_messages::reads::messages_in_range;
use caraplace_messages::shadow::message::{ChatPosition, LOG_END};
use caraplace_messages::shadow::reads::{chat_position, shadow_messages, shadow_view};
use platform::refusal::Refusal;
use rules::message::Message;
use rules::numbers::Seq;

use super::current_digest;
use crate::chat::read::{ChatPage, ChatQuery, build_page};

/// Returns a page as a shadow-banned author sees it, or `None` if there is no message `before`.
pub async fn page(
    state: &AppState,
    author: &Identity,
    query: &ChatQuery,
) -> Result<Option<ChatPage>, Refusal> {
    let before = match &query.before {
        Some(id) => chat_position(state, author.no, id.as_str()).await?,
        None => Some(LOG_END),
    };
    let Some(before) = before else { return Ok(None) };
    let (opening, last_seq) = match query.until {
        Some(until) => (until.opening, until.seq),
        None => (state.read_world(|world| world.season.seq), Seq::MAX),
    };
    let after = opening.max(query.after);
    let before = before.min((last_seq.next(), 0));
    let mut messages = public_messages(state, query, after, before).await?;
    messages.extend(own_messages(state, author, query, after, before).await?);
    messages.sort_by_key(|(place, _)| *place);
    let has_older = messages.len() > query.limit;
    let newest = messages.split_off(messages.len().saturating_sub(query.limit));
    let mut messages: Vec<Arc<Message>> = newest.into_iter().map(|(_, message)| message).collect();
    let ids = messages.iter().map(|message| message.id.as_str());
    let view = shadow_view(state, author.own_view(), ids).await?;
    messages.iter_mut().for_each(|message| view.apply_to_shared(message));
    Ok(Some(build_page(messages, has_older, current_digest(state, author).await?)))
}

type PositionedMessage = (ChatPosition, Arc<Message>);

/// Returns the messages that everyone sees.
async fn public_messages(
    state: &AppState,
    query: &ChatQuery,
    after: Seq,
    before: ChatPosition,
) -> Result<Vec<PositionedMessage>, Refusal> {
    let (seq, no) = before;
    // A shadow message follows the public event with its number, so that event comes before it.
    let before = if no > 0 { seq.next() } else { seq };
    let limit = query.limit as i64 + 1;
    let range =
        MessageRange { author: None, after, before, since: query.since, limit, include_hidden: false };
    let messages = messages_in_range(state, &range).await?.into_iter();
    Ok(messages.map(|message| ((message.seq, 0), Arc::new(message))).collect())
}

async fn own_messages(
    state: &AppState,
    author: &Identity,
    query: &ChatQuery,
    after: Seq,
    before: ChatPosition,
) -> Result<Vec<PositionedMessage>, Refusal> {
    let shadow_messages =
        shadow_messages(state, author.no, after, before, query.limit as i64 + 1, true).await?.into_iter();
    let is_in_range = |message: &Message| query.since.is_none_or(|since| message.timestamp > since);
    Ok(shadow_messages
        .filter(|shadow| is_in_range(&shadow.message))
        .map(|own| ((own.after_seq, own.no), own.message))
        .collect())
}
