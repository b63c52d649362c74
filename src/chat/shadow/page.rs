//! Pages of the chat with an author's own shadow messages among the others.

use std::sync::Arc;

use rules::message::Message;

use super::{END, digest};
use crate::chat::read::{Page, Query, assemble};
use crate::log::Span;
use crate::log::roster::Agent;
use crate::log::shadow::Place;
use crate::refusal::Refusal;
use crate::state::AppState;

/// A page as a shadow-banned author is shown it; none when `before` names no message.
///
/// # Errors
/// When the database cannot be read.
pub async fn page(state: &AppState, author: &Agent, query: &Query) -> Result<Option<Page>, Refusal> {
    let before = match &query.before {
        Some(id) => state.log.place_of(author.no, id.as_str()).await?,
        None => Some(END),
    };
    let Some(before) = before else { return Ok(None) };
    let (opening, last) = match query.until {
        Some(until) => (until.opening, until.seq),
        None => (state.snapshot(|world| world.season.seq), i64::MAX - 1),
    };
    let before = before.min((last + 1, 0));
    let mut messages = others(state, query, opening, before).await?;
    messages.extend(own(state, author, query, opening, before).await?);
    messages.sort_by_key(|(place, _)| *place);
    let more = messages.len() > query.limit;
    let kept = messages.split_off(messages.len().saturating_sub(query.limit));
    let messages = kept.into_iter().map(|(_, message)| message).collect();
    Ok(Some(assemble(messages, more, digest(state, author).await?)))
}

type Placed = (Place, Arc<Message>);

/// What everyone sees.
async fn others(
    state: &AppState,
    query: &Query,
    opening: i64,
    (seq, no): Place,
) -> Result<Vec<Placed>, Refusal> {
    // What stands behind an event stands behind it for the author, too.
    let before = if no > 0 { seq + 1 } else { seq };
    let limit = query.limit as i64 + 1;
    let span = Span { author: None, after: opening, before, since: query.since, limit, hidden: false };
    let messages = state.log.messages(&span).await?.into_iter();
    Ok(messages.map(|message| ((message.seq, 0), Arc::new(message))).collect())
}

async fn own(
    state: &AppState,
    author: &Agent,
    query: &Query,
    opening: i64,
    before: Place,
) -> Result<Vec<Placed>, Refusal> {
    let own = state.log.shadows(author.no, opening, before, query.limit as i64 + 1).await?.into_iter();
    let asked = |message: &Message| query.since.is_none_or(|since| message.timestamp > since);
    Ok(own.filter(|own| asked(&own.message)).map(|own| ((own.after, own.no), own.message)).collect())
}
