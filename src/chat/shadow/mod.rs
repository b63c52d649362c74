//! What the shadow-banned see: the chat with their own messages in it, and digests that are theirs alone.

mod page;
mod unread;

use rules::digest::{Digest, DigestStatus};

use super::read::{self, CurrentDigest};
use crate::log::key_cache::Agent;
use crate::log::shadow_message::ChatPosition;
use crate::refusal::Refusal;
use crate::state::AppState;

pub use page::page;
pub use unread::add_own_messages;

/// Among how many of an author's newest messages the one that was newest when a digest was served is looked for: more than
/// are said while a digest lasts, at the usual interval. Each costs thousands of hashes, with the world held meanwhile.
const MAX_CHECKED_MESSAGES: i64 = 16;
/// Behind everything.
const LOG_END: ChatPosition = (i64::MAX, 0);

/// The digest as a caller is shown it.
///
/// # Errors
/// When the database cannot be read, which is needed for the shadow-banned only.
pub async fn current_digest(state: &AppState, caller: &Agent) -> Result<CurrentDigest, Refusal> {
    if !caller.rights.shadowed {
        return Ok(read::current_digest(state));
    }
    let newest = state.log.shadow_messages(caller.no, 0, LOG_END, 1).await?.pop();
    Ok(state.read_world(|world| {
        let now = state.clock.now();
        let public_digest = read::digest_at(world, now);
        let Some(newest) = newest else { return public_digest };
        let mut digests = world.digests();
        let current = digests.current(now);
        let author_digest = digests.digest_for_author(current, &caller.id, &newest.message.id);
        CurrentDigest { digest: author_digest.to_string(), ..public_digest }
    }))
}

/// What a digest is worth from who may have been shown one of its own.
///
/// # Errors
/// When the database cannot be read.
pub async fn evaluate_digest(
    state: &AppState,
    caller: &Agent,
    presented: Digest,
) -> Result<DigestStatus, Refusal> {
    let newest = state.log.shadow_messages(caller.no, 0, LOG_END, MAX_CHECKED_MESSAGES).await?;
    let newest_ids: Vec<&str> = newest.iter().map(|shadow| shadow.message.id.as_str()).collect();
    let evaluate = || {
        state.world.read().digests().evaluate_for_author(
            presented,
            &caller.id,
            &newest_ids,
            state.clock.now(),
        )
    };
    Ok(evaluate())
}
