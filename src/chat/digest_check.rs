//! Checks the digest with which an agent proves, before it paints, that it has read the chat.

use rules::digest::{Digest, DigestStatus};

use super::shadow;
use crate::log::key_cache::Agent;
use crate::refusal::{InputError, InputErrorKind, Refusal};
use crate::state::AppState;
use crate::telemetry::METRICS;

/// Checks that the caller has recently read the chat, unless the chat is switched off. An unknown digest may
/// be that of another instance, so this one catches up with the log once before it refuses.
///
/// # Errors
/// Returns `Input` if the digest is missing, `DigestInvalid`, `DigestStale`, or the error of the database.
pub async fn check(state: &AppState, caller: &Agent, presented: Option<&str>) -> Result<(), Refusal> {
    if !state.game().chat_enabled {
        return Ok(());
    }
    let missing =
        || InputError::for_field(InputErrorKind::DigestMissing, "chat_digest", "chat_digest is missing.");
    let presented = presented.ok_or_else(missing)?;
    let Some(digest) = Digest::parse(presented) else { return to_result(DigestStatus::Unknown) };
    let evaluate = || state.world.read().digests().evaluate(digest, state.clock.now());
    let mut status = evaluate();
    if status == DigestStatus::Unknown {
        // Rarely needed, and boxed because the future is large.
        Box::pin(state.log.refresh()).await?;
        status = evaluate();
    }
    if status == DigestStatus::Unknown && caller.rights.shadowed {
        status = Box::pin(shadow::evaluate_digest(state, caller, digest)).await?;
    }
    to_result(status)
}

fn to_result(status: DigestStatus) -> Result<(), Refusal> {
    let (counter, result) = match status {
        DigestStatus::Fresh => (&METRICS.game.digests_fresh, Ok(())),
        DigestStatus::Stale => (&METRICS.game.digests_stale, Err(Refusal::DigestStale)),
        DigestStatus::Unknown => (&METRICS.game.digests_invalid, Err(Refusal::DigestInvalid)),
    };
    counter.inc();
    result
}
