//! The chat as shadow-banned accounts see it: with their own messages, and with digests of their own.

mod page;

use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use caraplace_messages::chat::Chat;
use caraplace_messages::shadow::message::LOG_END;
use caraplace_messages::shadow::reads::shadow_messages;
use platform::refusal::Refusal;
use rules::digest::MAX_COVERED_MESSAGES;
use rules::numbers::Seq;

use super::read::{self, CurrentDigest};

pub use page::page;

/// Returns the digest as the caller sees it.
///
/// # Errors
/// Returns the error of the database, which is queried for shadow-banned callers only.
pub async fn current_digest(state: &AppState, caller: &Identity) -> Result<CurrentDigest, Refusal> {
    if !caller.rights.shadowed {
        return Ok(read::current_digest(state));
    }
    // The digest covers this number of messages, so older ones of the caller do not count.
    let own =
        shadow_messages(state, caller.no, Seq::ZERO, LOG_END, MAX_COVERED_MESSAGES as i64, false).await?;
    Ok(state.read_world(|world| {
        let now = state.clock.now();
        let public_digest = read::digest_at(world, now);
        let Some(newest) = own.first() else { return public_digest };
        let mut digests = Chat::of(world).digests();
        let current = digests.current(now);
        let author_digest = digests.digest_for_author(current, &caller.id, &newest.message.id);
        let message_count = (public_digest.message_count + own.len()).min(MAX_COVERED_MESSAGES);
        CurrentDigest { digest: author_digest.to_string(), message_count, ..public_digest }
    }))
}

/// Returns the number under which an author sees its newest shadow message of a season up to an event; `None`
/// if there is none.
pub(crate) async fn newest_position(
    state: &AppState,
    author: &Identity,
    season: Seq,
    up_to: Seq,
) -> Result<Option<Seq>, Refusal> {
    let newest = shadow_messages(state, author.no, season, (up_to.next(), 0), 1, true).await?;
    Ok(newest.first().map(|shadow| shadow.after_seq))
}
