//! Checks the digest with which an agent proves, before it paints, that it has read the chat.

use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use platform::refusal::{InputError, InputErrorKind, PlacementRefusal, Refusal};
use platform::telemetry::METRICS;
use rules::digest::{Digest, DigestStatus};
use rules::numbers::Seq;

use super::chat::Chat;
use super::shadow::message::LOG_END;
use super::shadow::reads::shadow_messages;
use super::store::MAX_CACHED_MESSAGES;

/// The number of an author's newest messages that are compared with a digest. At the usual interval an author
/// cannot post more while a digest is valid. Each costs thousands of hashes while the projection is locked.
const MAX_CHECKED_MESSAGES: i64 = 16;

/// Checks that the caller has recently read the chat. An unknown digest may be that of another instance, so
/// this one catches up with the log once before it refuses.
///
/// Returns the number of visible messages that were posted since the digest was current, at most as many as
/// are in memory; `None` if the chat is switched off.
///
/// # Errors
/// Returns `Input` if the digest is missing, `DigestInvalid`, or `DigestStale`.
pub async fn check(
    state: &AppState,
    caller: &Identity,
    presented: Option<&str>,
) -> Result<Option<usize>, Refusal> {
    if !state.game().chat_enabled {
        return Ok(None);
    }
    let missing =
        || InputError::for_field(InputErrorKind::DigestMissing, "chat_digest", "chat_digest is missing.");
    let presented = presented.ok_or_else(missing)?;
    let Some(digest) = Digest::parse(presented) else { return to_result(DigestStatus::Unknown, 0) };
    let (mut status, mut newer_messages) = evaluate(state, digest);
    if status == DigestStatus::Unknown {
        // Rarely needed, and boxed because the future is large.
        Box::pin(state.log.refresh()).await?;
        (status, newer_messages) = evaluate(state, digest);
    }
    if status == DigestStatus::Unknown
        && caller.has_own_view
        && let Some(public) = Box::pin(find_public_digest(state, caller, digest)).await?
    {
        (status, newer_messages) = evaluate(state, public);
    }
    to_result(status, newer_messages)
}

/// Returns the public digest behind the caller's own one, or `None` if there is none.
async fn find_public_digest(
    state: &AppState,
    caller: &Identity,
    presented: Digest,
) -> Result<Option<Digest>, Refusal> {
    let newest = shadow_messages(state, caller.no, Seq::ZERO, LOG_END, MAX_CHECKED_MESSAGES, false).await?;
    let newest_ids: Vec<&str> = newest.iter().map(|shadow| shadow.message.id.as_str()).collect();
    let now = state.clock.now();
    Ok(state.read_world(|world| {
        Chat::of(world).digests().find_public_digest(presented, &caller.id, &newest_ids, now)
    }))
}

/// Returns the status of a public digest, and the number of newer messages.
fn evaluate(state: &AppState, digest: Digest) -> (DigestStatus, usize) {
    let world = state.world.read();
    let mut digests = Chat::of(&world).digests();
    let status = digests.evaluate(digest, state.clock.now());
    (status, digests.count_newer_messages(digest, MAX_CACHED_MESSAGES))
}

fn to_result(status: DigestStatus, newer_messages: usize) -> Result<Option<usize>, Refusal> {
    let (counter, result) = match status {
        DigestStatus::Fresh => (&METRICS.game.digests_fresh, Ok(Some(newer_messages))),
        DigestStatus::Stale => (&METRICS.game.digests_stale, Err(PlacementRefusal::DigestStale.into())),
        DigestStatus::Unknown => (&METRICS.game.digests_invalid, Err(PlacementRefusal::DigestInvalid.into())),
    };
    counter.inc();
    result
}
