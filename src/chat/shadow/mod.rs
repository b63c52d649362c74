//! What the shadow-banned see: the chat with their own messages in it, and digests that are theirs alone.

mod page;
mod unread;

use rules::digest::{Digest, DigestStatus};

use super::read::{self, CurrentDigest};
use crate::log::roster::Agent;
use crate::log::shadow::Place;
use crate::refusal::Refusal;
use crate::state::AppState;

pub use page::page;
pub use unread::unread;

/// Among how many of an author's newest messages the one that was newest when a digest was served is looked for: more than
/// are said while a digest lasts, at the usual interval. Each costs thousands of hashes, with the world held meanwhile.
const LOOKED_AT: i64 = 16;
/// Behind everything.
const END: Place = (i64::MAX, 0);

/// The digest as a caller is shown it.
///
/// # Errors
/// When the database cannot be read, which is needed for the shadow-banned only.
pub async fn digest(state: &AppState, caller: &Agent) -> Result<CurrentDigest, Refusal> {
    if !caller.rights.shadowed {
        return Ok(read::digest(state));
    }
    let newest = state.log.shadows(caller.no, 0, END, 1).await?.pop();
    Ok(state.snapshot(|world| {
        let now = state.clock.now();
        let public = read::digest_of(world, now);
        let Some(newest) = newest else { return public };
        let mut digests = world.digests();
        let current = digests.current(now);
        let own = digests.digest_for_author(current, &caller.id, &newest.message.id);
        CurrentDigest { digest: own.to_string(), ..public }
    }))
}

/// What a digest is worth from who may have been shown one of its own.
///
/// # Errors
/// When the database cannot be read.
pub async fn judge(state: &AppState, caller: &Agent, shown: Digest) -> Result<DigestStatus, Refusal> {
    let newest = state.log.shadows(caller.no, 0, END, LOOKED_AT).await?;
    let newest: Vec<&str> = newest.iter().map(|shadow| shadow.message.id.as_str()).collect();
    let judge =
        || state.world.read().digests().evaluate_for_author(shown, &caller.id, &newest, state.clock.now());
    Ok(judge())
}
