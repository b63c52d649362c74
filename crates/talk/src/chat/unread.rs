//! The messages of others that an account has not read yet; its own are never unread. Only the account moves
//! its read cursor, so that an agent that stops between reading and acting misses nothing.

use std::sync::Arc;

use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use caraplace_log::world::World;
use caraplace_messages::chat::Chat;
use caraplace_messages::reads::messages_by_seqs;
use caraplace_messages::shadow::reads::shadow_view;
use chrono::{DateTime, Utc};
use platform::refusal::{InputError, InputErrorKind, Refusal};
use platform::schema::MessageSchema;
use rules::message::Message;
use rules::numbers::Seq;
use serde::Serialize;
use utoipa::ToSchema;

use super::read::{CurrentDigest, current_digest, digest_at};
use super::{shadow, store};
use crate::read_state::{self, ReadState};

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
    #[schema(value_type = i64)]
    pub new_pointer: Seq,
    /// Number of unread messages after these; 10000 means 10000 or more.
    pub unread: i64,
}

/// Returns the oldest unread messages of other authors, after moving the read cursor to `ack`.
///
/// # Errors
/// Returns `Input` if `ack` is not a sequence number yet.
pub async fn page(
    state: &AppState,
    account: &Identity,
    limit: usize,
    ack: Option<Seq>,
) -> Result<UnreadMessages, Refusal> {
    if let Some(ack) = ack
        && !state.log.has_reached(ack).await?
    {
        let detail = "No event has this sequence number yet. Send the new_pointer of an earlier response.";
        return Err(InputError::for_field(InputErrorKind::BadCursor, "ack", detail).into());
    }
    let read = read_state::acknowledge(state, account, ack).await?;
    unread_messages(state, account, &read, limit).await
}

/// Returns the number of unread messages, at most [`MAX_UNREAD_COUNT`] and one.
pub async fn count(state: &AppState, account: &Identity, read: &ReadState) -> Result<i64, Refusal> {
    let page = find_unread(state, account, read, 1).await?;
    Ok(page.messages.len() as i64 + page.unread)
}

/// Returns the number of unread messages, or `None` if older messages than those in memory may be unread.
pub fn count_in_memory(state: &AppState, account: &Identity, read: &ReadState) -> Option<i64> {
    state.read_world(|world| {
        let is_covered = covers_cursor(world, read.cursor);
        is_covered.then(|| unread_in_memory(world, account, read).count() as i64)
    })
}

/// Returns the oldest unread messages of other authors.
pub async fn unread_messages(
    state: &AppState,
    account: &Identity,
    read: &ReadState,
    limit: usize,
) -> Result<UnreadMessages, Refusal> {
    let (season, head) = state.read_world(|world| (world.season.seq, world.head));
    let mut page = find_unread(state, account, read, limit).await?;
    if !account.has_own_view {
        return Ok(page);
    }
    let ids = page.messages.iter().map(|message| message.id.as_str());
    let view = shadow_view(state, account.own_view(), ids).await?;
    page.messages.iter_mut().for_each(|message| view.apply_to_shared(message));
    if page.unread == 0 {
        // With nothing unread, the pointer moves past the account's own messages. The messages that only the
        // account can see are its own, too, so the pointer also moves past those.
        let newest = shadow::newest_position(state, account, season, head).await?;
        page.new_pointer = page.new_pointer.max(newest.unwrap_or(Seq::ZERO));
    }
    let CurrentDigest { digest, expires_at, .. } = shadow::current_digest(state, account).await?;
    Ok(UnreadMessages { digest, digest_expires_at: expires_at, ..page })
}

async fn find_unread(
    state: &AppState,
    account: &Identity,
    read: &ReadState,
    limit: usize,
) -> Result<UnreadMessages, Refusal> {
    let now = state.clock.now();
    if let Some(unread) = state.read_world(|world| cached_unread(world, account, read, limit, now)) {
        return Ok(unread);
    }
    let seqs =
        store::unread_after(&state.pool, account.no, read.cursor, &read.messages, limit as i64).await?;
    let last = seqs.last().copied().unwrap_or(read.cursor);
    let messages = messages_by_seqs(state, &seqs).await?.into_iter().map(Arc::new).collect();
    let unread =
        store::count_unread_after(&state.pool, account.no, last, &read.messages, MAX_UNREAD_COUNT).await?;
    let CurrentDigest { digest, expires_at, .. } = current_digest(state);
    Ok(UnreadMessages { messages, digest, digest_expires_at: expires_at, new_pointer: last, unread })
}

/// Reads from memory. Returns `None` if older messages than those in memory may be unread.
fn cached_unread(
    world: &World,
    account: &Identity,
    read: &ReadState,
    limit: usize,
    now: DateTime<Utc>,
) -> Option<UnreadMessages> {
    let cached = Chat::of(world).messages();
    let cursor = read.cursor;
    if !covers_cursor(world, cursor) {
        return None;
    }
    let mut unread = unread_in_memory(world, account, read).cloned();
    let messages: Vec<_> = unread.by_ref().take(limit).collect();
    let remaining = unread.count() as i64;
    // If everything is read, the pointer passes own messages and those read in the inbox.
    let newest = cached.back().filter(|_| remaining == 0).map_or(cursor, |message| message.seq.max(cursor));
    let new_pointer = messages.last().filter(|_| remaining > 0).map_or(newest, |message| message.seq);
    let CurrentDigest { digest, expires_at, .. } = digest_at(world, now);
    Some(UnreadMessages { messages, digest, digest_expires_at: expires_at, new_pointer, unread: remaining })
}

/// Returns true if all messages after a cursor are in memory.
fn covers_cursor(world: &World, cursor: Seq) -> bool {
    !Chat::of(world).has_older_messages
        || Chat::of(world).messages().front().is_none_or(|oldest| oldest.seq <= cursor)
}

/// Returns the unread messages that are in memory, oldest first.
fn unread_in_memory<'a>(
    world: &'a World,
    account: &'a Identity,
    read: &'a ReadState,
) -> impl Iterator<Item = &'a Arc<Message>> {
    let cached = Chat::of(world).messages();
    let newer = cached.range(cached.partition_point(|message| message.seq <= read.cursor)..);
    let is_own = |message: &Message| message.agent_id.as_ref() == Some(&account.id);
    newer.filter(move |message| !message.redacted && !is_own(message) && !read.is_message_read(message.seq))
}
