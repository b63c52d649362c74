//! The proof of having read the chat, without which nobody paints.

use rules::digest::{Digest, DigestStatus};

use super::shadow;
use crate::log::key_cache::Agent;
use crate::refusal::{InputError, InputErrorKind, Refusal};
use crate::state::AppState;
use crate::telemetry::METRICS;

/// Checks that the caller has read the chat lately, if there is a chat. A digest that is not known here may be another instance's: the log is
/// read once before it is refused.
///
/// # Errors
/// `Input` if no digest is shown, `DigestInvalid`, `DigestStale`; or that the database cannot be read.
pub async fn check(state: &AppState, caller: &Agent, presented: Option<&str>) -> Result<(), Refusal> {
    if !state.game().chat_enabled {
        return Ok(());
    }
    let missing =
        || InputError::for_field(InputErrorKind::DigestMissing, "chat_digest", "chat_digest is missing.");
    let presented = presented.ok_or_else(missing)?;
    let Some(digest) = Digest::parse(presented) else { return to_result(DigestStatus::Unknown) };
    let evaluate = || state.world.read().digests().evaluate(digest, state.clock.now());
    let mut verdict = evaluate();
    if verdict == DigestStatus::Unknown {
        // Seldom needed, and large while it waits.
        Box::pin(state.log.refresh()).await?;
        verdict = evaluate();
    }
    if verdict == DigestStatus::Unknown && caller.rights.shadowed {
        verdict = Box::pin(shadow::evaluate_digest(state, caller, digest)).await?;
    }
    to_result(verdict)
}

fn to_result(verdict: DigestStatus) -> Result<(), Refusal> {
    let (counter, result) = match verdict {
        DigestStatus::Fresh => (&METRICS.game.digests_fresh, Ok(())),
        DigestStatus::Stale => (&METRICS.game.digests_stale, Err(Refusal::DigestStale)),
        DigestStatus::Unknown => (&METRICS.game.digests_invalid, Err(Refusal::DigestInvalid)),
    };
    counter.inc();
    result
}
