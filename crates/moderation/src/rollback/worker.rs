//! The worker of rollbacks: reads the season's log, then corrects the canvas in batches of pixels.

use std::collections::BTreeSet;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use caraplace_accounts::agents::{accounts, find_labels};
use caraplace_log::batch_effects::RestoredPlacement;
use caraplace_log::command::CommandOutcome;
use caraplace_log::head_lock::HeadLock;
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use caraplace_messages::system_message::post_system_message_locked;
use chrono::TimeDelta;
use platform::refusal::Refusal;
use rules::numbers::{AccountNo, Seq};
use rules::rollback::{Correction, RemainingPlacement, RollbackFilter, RollbackReplay};
use tokio::time::sleep;

use super::correct::CorrectPixels;
use super::store::{self, RollbackJob};

/// The number of events read at a time.
const EVENTS_PER_READ: i64 = 50_000;
/// The number of pixels in one command: the maximum that one agent may place.
const PIXELS_PER_COMMAND: usize = 256;
/// The interval at which the worker looks for rollbacks.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// The age of a heartbeat after which a worker is considered dead.
const HEARTBEAT_TIMEOUT: TimeDelta = TimeDelta::seconds(15);
/// The delay before an overloaded command is submitted again.
const RETRY_DELAY: Duration = Duration::from_millis(200);

/// Runs the rollbacks on this instance until it is aborted.
pub async fn run(state: Arc<AppState>) {
    loop {
        sleep(POLL_INTERVAL).await;
        let now = state.clock.now();
        match store::claim(&state.pool, now, now - HEARTBEAT_TIMEOUT).await {
            Ok(Some(job)) => run_job(&state, &job).await,
            Ok(None) => {}
            Err(error) => {
                tracing::debug!(%error, "search for rollbacks failed");
            }
        }
    }
}

async fn run_job(state: &AppState, job: &RollbackJob) {
    let id = &job.id;
    match correct_canvas(state, job).await {
        Ok(pixels) => tracing::info!(%id, pixels, "rollback done"),
        Err(error) => {
            tracing::warn!(%id, ?error, "rollback failed; trying again");
            // If the rollback was undone meanwhile, the next worker need not wait for the heartbeat to
            // expire.
            let _ = store::release(&state.pool, job).await;
        }
    }
}

/// Corrects the canvas. Returns the number of pixels painted over.
async fn correct_canvas(state: &AppState, job: &RollbackJob) -> Result<usize, Refusal> {
    let filters = store::list_filters(&state.pool, job.season).await?;
    let save_progress = |done, total| store::save_read_progress(state, job, done, total);
    let (replay, _) = replay_placements(state, job.filter, filters, job.season, save_progress).await?;
    let corrections = find_restored(state, replay.corrections()).await?;
    let operator = accounts::find_operator(state).await?;
    let mut processed = 0;
    let mut corrected_count = 0;
    for chunk in corrections.chunks(PIXELS_PER_COMMAND) {
        let Some(corrected) = paint_chunk(state, &operator, job.season, chunk).await? else {
            store::mark_overtaken(&state.pool, job).await?;
            return Ok(corrected_count);
        };
        corrected_count += corrected;
        processed += chunk.len();
        store::save_paint_progress(state, job, processed, corrections.len(), corrected).await?;
    }
    finish(state, job, replay.matched_placements()).await?;
    Ok(corrected_count)
}

/// Adds the ids of the agents whose placements are visible again.
async fn find_restored(
    state: &AppState,
    corrections: Vec<Correction>,
) -> Result<Vec<(Correction, Option<RestoredPlacement>)>, Refusal> {
    let agents: BTreeSet<AccountNo> =
        corrections.iter().filter_map(|found| Some(found.restored?.agent)).collect();
    let labels = find_labels(&state.pool, &Vec::from_iter(agents)).await?;
    let with_agent = |correction: Correction| {
        let restored = correction.restored.and_then(|RemainingPlacement { seq, agent }| {
            let agent_id = labels.get(&agent)?.id.as_str().into();
            Some(RestoredPlacement { seq, agent, agent_id })
        });
        (correction, restored)
    };
    Ok(corrections.into_iter().map(with_agent).collect())
}

/// Marks a rollback as done, and posts the message about it in the same transaction. Only one worker finds
/// the rollback still running, so the message is posted once.
async fn finish(state: &AppState, job: &RollbackJob, placements: usize) -> Result<(), Refusal> {
    let mut transaction = state.pool.begin().await?;
    let mut head_lock = HeadLock::acquire(&mut transaction, &state.clock).await?;
    let Some(finished) = store::mark_done(&mut transaction, job, placements).await? else { return Ok(()) };
    // The chat may have been switched off a moment ago.
    state.log.refresh().await?;
    let game = state.game();
    let region = job.filter.rect.corners();
    let announcement = finished.announcement(&region).filter(|_| game.system_messages && game.chat_enabled);
    if let Some(content) = announcement {
        post_system_message_locked(&mut head_lock, &mut transaction, content, Some(region)).await?;
    }
    state.log.commit(transaction).await
}

/// Submits corrections until the writer accepts them, so that agents' placements come first under overload.
async fn paint_chunk(
    state: &AppState,
    operator: &Identity,
    season: Seq,
    chunk: &[(Correction, Option<RestoredPlacement>)],
) -> Result<Option<usize>, Refusal> {
    loop {
        let command = CorrectPixels { season, corrections: chunk.to_vec() };
        match state.log.submit(operator, None, command, None).await {
            Ok(CommandOutcome::Executed(corrected_count)) => return Ok(corrected_count),
            Ok(CommandOutcome::Replayed(_)) => return Ok(Some(0)),
            Err(Refusal::Overloaded) => sleep(RETRY_DELAY).await,
            Err(refusal) => return Err(refusal),
        }
    }
}

/// Replays a season's placements up to now, with and without the rolled-back ones. Also returns the number of
/// the last event.
pub(super) async fn replay_placements<F: Future<Output = Result<(), sqlx::Error>>>(
    state: &AppState,
    target: RollbackFilter,
    filters: Vec<RollbackFilter>,
    season: Seq,
    on_progress: impl Fn(i64, i64) -> F,
) -> Result<(RollbackReplay, Seq), Refusal> {
    let head = state.read_world(|world| world.head);
    let mut replay = RollbackReplay::new(target, filters);
    let mut position = season;
    while position < head {
        let next = position.plus(EVENTS_PER_READ).min(head);
        let page = store::list_placements(&state.pool, position, next, target.rect).await?;
        page.iter().for_each(|placement| replay.apply(placement));
        position = next;
        on_progress(position.events_since(season), head.events_since(season)).await?;
    }
    Ok((replay, head))
}
