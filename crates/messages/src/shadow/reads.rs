//! Reads what only its author sees.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use caraplace_live::own_event::OwnEvent;
use caraplace_log::state::AppState;
use chrono::{DateTime, Utc};
use platform::refusal::Refusal;
use rules::intent::IntentDetails;
use rules::numbers::{AccountNo, Seq};

use super::message::{ChatPosition, ShadowMessage};
use super::view::ShadowView;
use crate::store;

/// Returns an author's newest shadow messages after an event and before a position in the chat, newest
/// first. Those that it has deleted are left out if `only_visible` is true.
pub async fn shadow_messages(
    state: &AppState,
    author: AccountNo,
    after: Seq,
    before: ChatPosition,
    limit: i64,
    only_visible: bool,
) -> Result<Vec<ShadowMessage>, Refusal> {
    let mut connection = state.pool.acquire().await?;
    Ok(store::shadow_messages(&mut connection, author, after, before, limit, only_visible).await?)
}

/// Returns an author's newest shadow messages that are intents, between two events, both included, newest
/// first: all that it has not deleted, or those that are live at `live_at`.
pub async fn shadow_intent_messages(
    state: &AppState,
    author: AccountNo,
    from: Seq,
    up_to: Seq,
    live_at: Option<DateTime<Utc>>,
    limit: i64,
) -> Result<Vec<ShadowMessage>, Refusal> {
    let mut connection = state.pool.acquire().await?;
    let ids = store::shadow_intent_ids(&mut connection, author, from, up_to, live_at, limit).await?;
    let mut messages = store::shadow_messages_by_ids(&mut connection, &ids).await?;
    messages.reverse();
    Ok(messages)
}

/// Returns those of these shadow messages that are not public yet, in their order.
pub async fn shadow_messages_by_ids(state: &AppState, ids: &[String]) -> Result<Vec<ShadowMessage>, Refusal> {
    Ok(store::shadow_messages_by_ids(&mut *state.pool.acquire().await?, ids).await?)
}

/// Returns the position of a message in the chat as an author sees it; `None` if there is no such
/// message.
pub async fn chat_position(
    state: &AppState,
    author: AccountNo,
    id: &str,
) -> Result<Option<ChatPosition>, Refusal> {
    Ok(store::chat_position(&mut *state.pool.acquire().await?, author, id).await?)
}

/// Returns what an account with a view of its own sees otherwise than everyone else of these messages. No
/// query is needed for all other callers: those whose `own_view` is `None`.
pub async fn shadow_view(
    state: &AppState,
    own_view: Option<AccountNo>,
    ids: impl Iterator<Item = &str>,
) -> Result<ShadowView, Refusal> {
    let Some(account) = own_view else { return Ok(ShadowView::default()) };
    let ids: Vec<String> = ids.map(str::to_owned).collect();
    Ok(store::shadow_view(&mut *state.pool.acquire().await?, account, &ids).await?)
}

/// Returns the details of an author's public intents that everyone else sees otherwise, as far as they
/// end after a time.
pub async fn shadow_intents(
    state: &AppState,
    author: AccountNo,
    after: DateTime<Utc>,
) -> Result<HashMap<String, IntentDetails>, Refusal> {
    Ok(store::shadow_intents_of(&mut *state.pool.acquire().await?, author, after).await?)
}

/// Returns the number of an author's messages that only it can see, between two events and since a time.
pub async fn count_shadow_messages(
    state: &AppState,
    author: AccountNo,
    after: Seq,
    up_to: Seq,
    since: Option<DateTime<Utc>>,
) -> Result<i64, Refusal> {
    let mut connection = state.pool.acquire().await?;
    Ok(store::count_shadow_messages(&mut connection, author, after, up_to, since).await?)
}

/// Returns the newest of an author's events that only it sees, with the numbers of two public events or
/// between them, up to an own number, oldest first.
pub async fn own_events(
    state: &AppState,
    author: AccountNo,
    seqs: RangeInclusive<Seq>,
    up_to: i64,
    limit: i64,
) -> Result<Vec<OwnEvent>, Refusal> {
    Ok(store::own_events_of(&mut *state.pool.acquire().await?, author, seqs, up_to, limit).await?)
}
