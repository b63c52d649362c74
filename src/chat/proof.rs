//! The proof of having read the chat, without which nobody paints.

use rules::digest::{Digest, DigestStatus};

use super::shadow;
use crate::log::roster::Agent;
use crate::refusal::{InputError, InputErrorKind, Refusal};
use crate::state::AppState;
use crate::telemetry::METRICS;

/// Checks that the caller has read the chat lately, if there is a chat. A digest that is not known here may be another instance's: the log is
/// read once before it is refused.
///
/// # Errors
/// `Input` if no digest is shown, `DigestInvalid`, `DigestStale`; or that the database cannot be read.
pub async fn check(state: &AppState, caller: &Agent, shown: Option<&str>) -> Result<(), Refusal> {
    if !state.game().chat_enabled {
        return Ok(());
    }
    let missing =
        || InputError::of_field(InputErrorKind::DigestMissing, "chat_digest", "chat_digest is missing.");
    let shown = shown.ok_or_else(missing)?;
    let Some(digest) = Digest::parse(shown) else { return told(DigestStatus::Unknown) };
    let judge = || state.world.read().digests().evaluate(digest, state.clock.now());
    let mut verdict = judge();
    if verdict == DigestStatus::Unknown {
        // Seldom needed, and large while it waits.
        Box::pin(state.log.refresh()).await?;
        verdict = judge();
    }
    if verdict == DigestStatus::Unknown && caller.rights.shadowed {
        verdict = Box::pin(shadow::judge(state, caller, digest)).await?;
    }
    told(verdict)
}

fn told(verdict: DigestStatus) -> Result<(), Refusal> {
    let (counter, passed) = match verdict {
        DigestStatus::Fresh => (&METRICS.game.digests_fresh, Ok(())),
        DigestStatus::Stale => (&METRICS.game.digests_stale, Err(Refusal::DigestStale)),
        DigestStatus::Unknown => (&METRICS.game.digests_invalid, Err(Refusal::DigestInvalid)),
    };
    counter.inc();
    passed
}
