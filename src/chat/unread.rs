//! The messages that an agent has not read yet. Only the agent itself says how far it has come, so that one that dies
//! between reading and acting loses nothing.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use rules::message::Message;
use serde::Serialize;
use utoipa::ToSchema;

use super::read::{CurrentDigest, digest, digest_of};
use super::{shadow, store};
use crate::log::roster::Agent;
use crate::log::world::World;
use crate::refusal::{InputError, InputErrorKind, Refusal};
use crate::schema::MessageSchema;
use crate::state::AppState;

/// So many unread messages are counted; when there are more, this many are told.
pub const MOST_COUNTED: i64 = 10_000;

/// Unread messages with the digest, oldest first.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Unread {
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
async fn pointer(state: &AppState, agent: &Agent, ack: Option<i64>) -> Result<i64, Refusal> {
    if let Some(ack) = ack
        && !state.log.has_come_to(ack).await?
    {
        let detail = "ack is no number that this chat has come to.";
        return Err(InputError::of_field(InputErrorKind::BadCursor, "ack", detail).into());
    }
    let pointer = match store::pointer(&state.pool, agent.no, ack).await? {
        Some(pointer) => pointer,
        // Registered by a server of the version before this one.
        None => store::first_pointer(&state.pool, agent.no, ack).await?,
    };
    // Nobody reads what was said in another season.
    Ok(pointer.max(state.snapshot(|world| world.season.seq)))
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
) -> Result<Unread, Refusal> {
    let pointer = pointer(state, agent, ack).await?;
    let head = state.snapshot(|world| world.head);
    let page = after(state, None, pointer, limit).await?;
    if agent.rights.shadowed {
        shadow::unread(state, agent, page, (pointer, head), limit).await
    } else {
        Ok(page)
    }
}

/// The oldest unread messages by others; the cursor stays where it is.
///
/// # Errors
/// When the database cannot be used.
pub async fn by_others(state: &AppState, agent: &Agent, limit: usize) -> Result<Unread, Refusal> {
    let pointer = pointer(state, agent, None).await?;
    after(state, Some(agent), pointer, limit).await
}

/// The oldest messages after a number, but for an author's.
async fn after(
    state: &AppState,
    without: Option<&Agent>,
    pointer: i64,
    limit: usize,
) -> Result<Unread, Refusal> {
    let now = state.clock.now();
    if let Some(unread) = state.snapshot(|world| recent(world, without, pointer, limit, now)) {
        return Ok(unread);
    }
    let author = without.map(|agent| agent.no);
    let numbers = store::after(&state.pool, author, pointer, limit as i64).await?;
    let last = numbers.last().copied().unwrap_or(pointer);
    let messages = state.log.messages_at(&numbers).await?.into_iter().map(Arc::new).collect();
    let unread = store::count_after(&state.pool, author, last, MOST_COUNTED).await?;
    let CurrentDigest { digest, expires_at, .. } = digest(state);
    Ok(Unread { messages, digest, digest_expires_at: expires_at, new_pointer: last, unread })
}

/// From memory; none when older messages than those kept may be unread.
fn recent(
    world: &World,
    without: Option<&Agent>,
    pointer: i64,
    limit: usize,
    now: DateTime<Utc>,
) -> Option<Unread> {
    let kept = world.messages();
    let reaches_back = kept.front().is_none_or(|oldest| oldest.seq <= pointer);
    if world.older_messages && !reaches_back {
        return None;
    }
    let newer = kept.range(kept.partition_point(|message| message.seq <= pointer)..);
    let is_without =
        |message: &Message| without.is_some_and(|agent| message.agent_id.as_ref() == Some(&agent.id));
    let mut unread = newer.filter(|message| !message.redacted && !is_without(message)).cloned();
    let messages: Vec<_> = unread.by_ref().take(limit).collect();
    let more = unread.count() as i64;
    // With all read, what was left out is behind it too.
    let newest = kept.back().filter(|_| more == 0).map_or(pointer, |message| message.seq.max(pointer));
    let new_pointer = messages.last().filter(|_| more > 0).map_or(newest, |message| message.seq);
    let CurrentDigest { digest, expires_at, .. } = digest_of(world, now);
    Some(Unread { messages, digest, digest_expires_at: expires_at, new_pointer, unread: more })
}
