//! Unread messages that include an author's own shadow messages.

use std::sync::Arc;

use rules::message::Message;

use super::current_digest;
use crate::chat::read::CurrentDigest;
use crate::chat::unread::UnreadMessages;
use crate::log::key_cache::Agent;
use crate::log::shadow_message::ShadowMessage;
use crate::refusal::Refusal;
use crate::state::AppState;

/// The maximum number of own messages that are read, the newest.
const MAX_OWN_MESSAGES: i64 = 1_000;

/// Adds the author's own messages to a page of unread messages. `cursor` is the read cursor, `head` the
/// newest event when the page was read. Own messages after the newest event are left out, because the read
/// cursor counts events and could not pass them.
///
/// # Errors
/// Returns the error of the database.
pub async fn add_own_messages(
    state: &AppState,
    author: &Agent,
    page: UnreadMessages,
    (cursor, head): (i64, i64),
    limit: usize,
) -> Result<UnreadMessages, Refusal> {
    // If there are more unread messages, the read cursor must not pass them.
    let end = if page.unread > 0 { page.new_pointer } else { head };
    let shadow_messages =
        state.log.shadow_messages(author.no, cursor + 1, (end + 1, 0), MAX_OWN_MESSAGES).await?;
    let CurrentDigest { digest, expires_at, .. } = current_digest(state, author).await?;
    Ok(UnreadMessages { digest, digest_expires_at: expires_at, ..merge(page, shadow_messages, limit) })
}

/// Merges both in order, up to the limit.
fn merge(page: UnreadMessages, shadow_messages: Vec<ShadowMessage>, limit: usize) -> UnreadMessages {
    let own_messages = shadow_messages.into_iter().map(|own| ((own.after_seq, own.no), own.message));
    let public_messages = page.messages.into_iter().map(|message| ((message.seq, 0), message));
    let mut merged: Vec<((i64, i64), Arc<Message>)> = public_messages.chain(own_messages).collect();
    merged.sort_by_key(|(place, _)| *place);
    let events: Vec<i64> = merged.iter().map(|((seq, _), _)| *seq).collect();
    let kept_count = count_whole_events(&events, limit);
    let cut_count = merged.len() - kept_count;
    merged.truncate(kept_count);
    let last_seq = merged.last().map_or(page.new_pointer, |((seq, _), _)| *seq);
    let new_pointer = if cut_count > 0 { last_seq } else { page.new_pointer.max(last_seq) };
    let messages = merged.into_iter().map(|(_, message)| message).collect();
    UnreadMessages { messages, new_pointer, unread: page.unread + cut_count as i64, ..page }
}

/// Returns how many messages fit without splitting those after the same event, because the read cursor
/// passes them together.
fn count_whole_events(events: &[i64], limit: usize) -> usize {
    if events.len() <= limit {
        return events.len();
    }
    (1..=limit).rev().find(|end| events[*end] != events[end - 1]).unwrap_or(limit)
}

#[cfg(test)]
mod tests {
    use super::count_whole_events;

    #[test]
    fn messages_after_one_event_stay_together_if_they_fit() {
        for (events, limit, expected) in [
            (&[1, 1, 2, 2, 3][..], 5, 5),
            (&[1, 1, 2, 2, 3], 4, 4),
            (&[1, 1, 2, 2, 3], 3, 2),
            (&[1, 1, 1, 2], 2, 2),
            (&[1, 2, 3], 1, 1),
            (&[], 1, 0),
        ] {
            assert_eq!(count_whole_events(events, limit), expected, "{events:?}, {limit}");
        }
    }
}
