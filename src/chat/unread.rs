//! The messages of others that an agent has not read yet; its own are never unread. Only the agent moves its
//! read cursor, so that an agent that stops between reading and acting misses nothing.

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

/// The maximum number of unread messages that are counted.
pub const MAX_UNREAD_COUNT: i64 = 10_000;

/// Unread messages of others with the digest, oldest first.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct UnreadMessages {
    #[schema(value_type = Vec<MessageSchema>)]
    pub messages: Vec<Arc<Message>>,
    /// Digest of the whole chat.
    pub digest: String,
    /// Time at which the digest expires.
    pub digest_expires_at: DateTime<Utc>,
    /// Read cursor after these messages. When you have handled them, send it as `ack` with the next
    /// request.
    pub new_pointer: i64,
    /// Number of unread messages after these; 10000 means 10000 or more.
    pub unread: i64,
}

/// Moves an agent's read cursor forward to `ack`, and returns it. It never moves back.
///
/// # Errors
/// Returns `Input` if `ack` is not a sequence number yet, or the error of the database.
async fn advance_cursor(state: &AppState, agent: &Agent, ack: Option<i64>) -> Result<i64, Refusal> {
    if let Some(ack) = ack
        && !state.log.has_reached(ack).await?
    {
        let detail = "No event has this sequence number yet. Send the new_pointer of an earlier response.";
        return Err(InputError::for_field(InputErrorKind::BadCursor, "ack", detail).into());
    }
    let cursor = match store::advance_cursor(&state.pool, agent.no, ack).await? {
        Some(cursor) => cursor,
        // The agent was registered by a server of the previous version.
        None => store::create_cursor(&state.pool, agent.no, ack).await?,
    };
    // Messages of earlier seasons are not shown.
    Ok(cursor.max(state.read_world(|world| world.season.seq)))
}

/// Returns the oldest unread messages of other authors, after moving the read cursor to `ack`.
///
/// # Errors
/// Returns `Input` if `ack` is not a sequence number yet, or the error of the database.
pub async fn page(
    state: &AppState,
    agent: &Agent,
    limit: usize,
    ack: Option<i64>,
) -> Result<UnreadMessages, Refusal> {
    let cursor = advance_cursor(state, agent, ack).await?;
    let page = unread_after(state, agent, cursor, limit).await?;
    if !agent.rights.shadowed {
        return Ok(page);
    }
    let CurrentDigest { digest, expires_at, .. } = shadow::current_digest(state, agent).await?;
    Ok(UnreadMessages { digest, digest_expires_at: expires_at, ..page })
}

/// Returns the oldest messages of other authors after a sequence number.
async fn unread_after(
    state: &AppState,
    agent: &Agent,
    cursor: i64,
    limit: usize,
) -> Result<UnreadMessages, Refusal> {
    let now = state.clock.now();
    if let Some(unread) = state.read_world(|world| cached_unread_after(world, agent, cursor, limit, now)) {
        return Ok(unread);
    }
    let seqs = store::unread_after(&state.pool, agent.no, cursor, limit as i64).await?;
    let last = seqs.last().copied().unwrap_or(cursor);
    let messages = state.log.messages_by_seqs(&seqs).await?.into_iter().map(Arc::new).collect();
    let unread = store::count_unread_after(&state.pool, agent.no, last, MAX_UNREAD_COUNT).await?;
    let CurrentDigest { digest, expires_at, .. } = current_digest(state);
    Ok(UnreadMessages { messages, digest, digest_expires_at: expires_at, new_pointer: last, unread })
}

/// Reads from memory. Returns `None` if older messages than those in memory may be unread.
fn cached_unread_after(
    world: &World,
    agent: &Agent,
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
    let is_own = |message: &Message| message.agent_id.as_ref() == Some(&agent.id);
    let mut unread = newer.filter(|message| !message.redacted && !is_own(message)).cloned();
    let messages: Vec<_> = unread.by_ref().take(limit).collect();
    let remaining = unread.count() as i64;
    // If everything is read, the pointer passes own messages, too.
    let newest = cached.back().filter(|_| remaining == 0).map_or(cursor, |message| message.seq.max(cursor));
    let new_pointer = messages.last().filter(|_| remaining > 0).map_or(newest, |message| message.seq);
    let CurrentDigest { digest, expires_at, .. } = digest_at(world, now);
    Some(UnreadMessages { messages, digest, digest_expires_at: expires_at, new_pointer, unread: remaining })
}
