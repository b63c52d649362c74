//! What a shadow-banned author has not read yet, with its own shadow messages among the others.

use std::sync::Arc;

use rules::message::Message;

use super::digest;
use crate::chat::read::CurrentDigest;
use crate::chat::unread::Unread;
use crate::log::roster::Agent;
use crate::log::shadow::Shadow;
use crate::refusal::Refusal;
use crate::state::AppState;

/// How many of its own messages are looked through, the newest.
const MOST: i64 = 1_000;

/// The author's own view of a page of what came after a number, where the head was known to be at another. What it said
/// while nothing new had happened since is left out: the cursor, which counts events, could not pass it.
///
/// # Errors
/// When the database cannot be read.
pub async fn unread(
    state: &AppState,
    author: &Agent,
    page: Unread,
    (pointer, head): (i64, i64),
    limit: usize,
) -> Result<Unread, Refusal> {
    // Behind what was looked at there may be words of others, which the cursor must not pass.
    let end = if page.unread > 0 { page.new_pointer } else { head };
    let own = state.log.shadows(author.no, pointer + 1, (end + 1, 0), MOST).await?;
    let CurrentDigest { digest, expires_at, .. } = digest(state, author).await?;
    Ok(Unread { digest, digest_expires_at: expires_at, ..merged(page, own, limit) })
}

/// As many as fit, each in its place.
fn merged(page: Unread, own: Vec<Shadow>, limit: usize) -> Unread {
    let own = own.into_iter().map(|own| ((own.after, own.no), own.message));
    let others = page.messages.into_iter().map(|message| ((message.seq, 0), message));
    let mut all: Vec<((i64, i64), Arc<Message>)> = others.chain(own).collect();
    all.sort_by_key(|(place, _)| *place);
    let events: Vec<i64> = all.iter().map(|((seq, _), _)| *seq).collect();
    let kept = whole(&events, limit);
    let cut = all.len() - kept;
    all.truncate(kept);
    let reached = all.last().map_or(page.new_pointer, |((seq, _), _)| *seq);
    let new_pointer = if cut > 0 { reached } else { page.new_pointer.max(reached) };
    let messages = all.into_iter().map(|(_, message)| message).collect();
    Unread { messages, new_pointer, unread: page.unread + cut as i64, ..page }
}

/// How many of these fit without parting those that stand behind the same event, which the cursor passes all at once.
fn whole(events: &[i64], limit: usize) -> usize {
    if events.len() <= limit {
        return events.len();
    }
    (1..=limit).rev().find(|end| events[*end] != events[end - 1]).unwrap_or(limit)
}

#[cfg(test)]
mod tests {
    use super::whole;

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
            assert_eq!(whole(events, limit), kept, "{events:?}, {limit}");
        }
    }
}
