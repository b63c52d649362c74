//! What a shadow-banned author has not read yet, with its own shadow messages among the others.

use std::sync::Arc;

use rules::message::Message;

use super::current_digest;
use crate::chat::read::CurrentDigest;
use crate::chat::unread::UnreadMessages;
use crate::log::key_cache::Agent;
use crate::log::shadow_message::ShadowMessage;
use crate::refusal::Refusal;
use crate::state::AppState;

/// How many of its own messages are looked through, the newest.
const MAX_OWN_MESSAGES: i64 = 1_000;

/// The author's own view of a page of what came after a number, where the head was known to be at another. What it said
/// while nothing new had happened since is left out: the cursor, which counts events, could not pass it.
///
/// # Errors
/// When the database cannot be read.
pub async fn add_own_messages(
    state: &AppState,
    author: &Agent,
    page: UnreadMessages,
    (cursor, head): (i64, i64),
    limit: usize,
) -> Result<UnreadMessages, Refusal> {
    // Behind what was looked at there may be words of others, which the cursor must not pass.
    let end = if page.unread > 0 { page.new_pointer } else { head };
    let shadow_messages =
        state.log.shadow_messages(author.no, cursor + 1, (end + 1, 0), MAX_OWN_MESSAGES).await?;
    let CurrentDigest { digest, expires_at, .. } = current_digest(state, author).await?;
    Ok(UnreadMessages { digest, digest_expires_at: expires_at, ..merge(page, shadow_messages, limit) })
}

/// As many as fit, each in its place.
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

/// How many of these fit without parting those that stand behind the same event, which the cursor passes all at once.
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
        for (events, limit, kept) in [
            (&[1, 1, 2, 2, 3][..], 5, 5),
            (&[1, 1, 2, 2, 3], 4, 4),
            (&[1, 1, 2, 2, 3], 3, 2),
            (&[1, 1, 1, 2], 2, 2),
            (&[1, 2, 3], 1, 1),
            (&[], 1, 0),
        ] {
            assert_eq!(count_whole_events(events, limit), kept, "{events:?}, {limit}");
        }
    }
}
