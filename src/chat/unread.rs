//! The messages that an agent has not read yet. Only the agent itself says how far it has come, so that one that dies
//! between reading and acting loses nothing.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use rules::message::Message;
use serde::Serialize;
use utoipa::ToSchema;

use super::read::{CurrentDigest, current_digest, digest_at};
use super::{shadow, store};
use crate::log::key_cache::Agent;
use crate::log::world::World;
use crate::refusal::{InputError, InputErrorKind, Refusal};
use crate::schema::MessageSchema;
use crate::state::AppState;

/// So many unread messages are counted; when there are more, this many are told.
pub const MAX_UNREAD_COUNT: i64 = 10_000;

/// Unread messages with the digest, oldest first.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct UnreadMessages {
    #[schema(value_type = Vec<MessageSchema>)]
    pub messages: Vec<Arc<Message>>,
    /// Of the chat as a whole.
    pub digest: String,
    pub digest_expires_at: DateTime<Utc>,
    /// Once these messages are dealt with, send it as `ack` with the next request.
    pub new_pointer: i64,
    /// How many more there are after these; 10000 means so many or more.
    pub unread: i64,
}

/// Returns how far an agent has read. What was read stays read.
///
/// # Errors
/// `Input` if `ack` is a number that was not given yet; or that the database cannot be used.
async fn advance_cursor(state: &AppState, agent: &Agent, ack: Option<i64>) -> Result<i64, Refusal> {
    if let Some(ack) = ack
        && !state.log.has_reached(ack).await?
    {
        let detail = "ack is no number that this chat has come to.";
        return Err(InputError::for_field(InputErrorKind::BadCursor, "ack", detail).into());
    }
    let cursor = match store::advance_cursor(&state.pool, agent.no, ack).await? {
        Some(cursor) => cursor,
        // Registered by a server of the version before this one.
        None => store::create_cursor(&state.pool, agent.no, ack).await?,
    };
    // Nobody reads what was said in another season.
    Ok(cursor.max(state.read_world(|world| world.season.seq)))
}

/// Returns the oldest unread messages, after moving the agent's cursor where `ack` says.
///
/// # Errors
/// `Input` if `ack` is a number that was not given yet; or that the database cannot be used.
pub async fn page(
    state: &AppState,
    agent: &Agent,
    limit: usize,
    ack: Option<i64>,
) -> Result<UnreadMessages, Refusal> {
    let cursor = advance_cursor(state, agent, ack).await?;
    let head = state.read_world(|world| world.head);
    let page = unread_after(state, None, cursor, limit).await?;
    if agent.rights.shadowed {
        shadow::add_own_messages(state, agent, page, (cursor, head), limit).await
    } else {
        Ok(page)
    }
}

/// The oldest unread messages by others; the cursor stays where it is.
///
/// # Errors
/// When the database cannot be used.
pub async fn by_others(state: &AppState, agent: &Agent, limit: usize) -> Result<UnreadMessages, Refusal> {
    let cursor = advance_cursor(state, agent, None).await?;
    unread_after(state, Some(agent), cursor, limit).await
}

/// The oldest messages after a number, but for an author's.
async fn unread_after(
    state: &AppState,
    excluded_author: Option<&Agent>,
    cursor: i64,
    limit: usize,
) -> Result<UnreadMessages, Refusal> {
    let now = state.clock.now();
    if let Some(unread) =
        state.read_world(|world| cached_unread_after(world, excluded_author, cursor, limit, now))
    {
        return Ok(unread);
    }
    let author_number = excluded_author.map(|agent| agent.no);
    let seqs = store::unread_after(&state.pool, author_number, cursor, limit as i64).await?;
    let last = seqs.last().copied().unwrap_or(cursor);
    let messages = state.log.messages_by_seqs(&seqs).await?.into_iter().map(Arc::new).collect();
    let unread = store::count_unread_after(&state.pool, author_number, last, MAX_UNREAD_COUNT).await?;
    let CurrentDigest { digest, expires_at, .. } = current_digest(state);
    Ok(UnreadMessages { messages, digest, digest_expires_at: expires_at, new_pointer: last, unread })
}

/// From memory; none when older messages than those kept may be unread.
fn cached_unread_after(
    world: &World,
    excluded_author: Option<&Agent>,
    cursor: i64,
    limit: usize,
    now: DateTime<Utc>,
) -> Option<UnreadMessages> {
    let cached = world.messages();
    let reaches_back = cached.front().is_none_or(|oldest| oldest.seq <= cursor);
    if world.has_older_messages && !reaches_back {
        return None;
    }
    let newer = cached.range(cached.partition_point(|message| message.seq <= cursor)..);
    let is_excluded =
        |message: &Message| excluded_author.is_some_and(|agent| message.agent_id.as_ref() == Some(&agent.id));
    let mut unread = newer.filter(|message| !message.redacted && !is_excluded(message)).cloned();
    let messages: Vec<_> = unread.by_ref().take(limit).collect();
    let remaining = unread.count() as i64;
    // With all read, what was left out is behind it too.
    let newest = cached.back().filter(|_| remaining == 0).map_or(cursor, |message| message.seq.max(cursor));
    let new_pointer = messages.last().filter(|_| remaining > 0).map_or(newest, |message| message.seq);
    let CurrentDigest { digest, expires_at, .. } = digest_at(world, now);
    Some(UnreadMessages { messages, digest, digest_expires_at: expires_at, new_pointer, unread: remaining })
}
