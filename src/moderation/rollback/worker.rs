//! The work behind a rollback: reads the season's log, then corrects the canvas, some pixels at a time.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;
use rules::rollback::{Correction, RollbackFilter, RollbackReplay};
use tokio::time::sleep;

use super::correct::CorrectPixels;
use super::store::{self, RollbackJob};
use crate::agents::accounts;
use crate::log::command::CommandOutcome;
use crate::log::key_cache::Agent;
use crate::refusal::Refusal;
use crate::state::AppState;

/// How many events are read at a time.
const EVENTS_PER_READ: i64 = 50_000;
/// How many pixels are corrected in one go: as many as one agent may paint at most.
const PIXELS_PER_COMMAND: usize = 256;
/// How often it is looked whether there is something to do.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// Whoever has not said for so long to be at it is not.
const HEARTBEAT_TIMEOUT: TimeDelta = TimeDelta::seconds(15);
/// Before something that was refused is tried again.
const RETRY_DELAY: Duration = Duration::from_millis(200);

/// Does what is to be done, on this instance, for as long as it is not aborted.
pub async fn run(state: Arc<AppState>) {
    loop {
        sleep(POLL_INTERVAL).await;
        let now = state.clock.now();
        match store::claim(&state.pool, now, now - HEARTBEAT_TIMEOUT).await {
            Ok(Some(job)) => run_job(&state, &job).await,
            Ok(None) => {}
            Err(error) => {
                tracing::debug!(%error, "rollbacks could not be looked for");
            }
        }
    }
}

async fn run_job(state: &AppState, job: &RollbackJob) {
    let id = &job.id;
    match correct_canvas(state, job).await {
        Ok(pixels) => tracing::info!(%id, pixels, "the canvas was corrected"),
        Err(error) => {
            tracing::warn!(%id, ?error, "a rollback could not be finished; trying again");
            // Where it was undone meanwhile, whoever is next need not wait.
            let _ = store::release(&state.pool, job).await;
        }
    }
}

/// Corrects the canvas; returns how many pixels were painted over.
async fn correct_canvas(state: &AppState, job: &RollbackJob) -> Result<usize, Refusal> {
    let filters = store::list_filters(&state.pool, job.season).await?;
    let save_progress = |done, total| store::save_read_progress(state, job, done, total);
    let (replay, _) = replay_placements(state, job.filter, filters, job.season, save_progress).await?;
    let corrections = replay.corrections();
    let operator = accounts::find_operator(state).await?;
    let (mut processed, mut painted) = (0, 0);
    for chunk in corrections.chunks(PIXELS_PER_COMMAND) {
        let Some(corrected) = paint_chunk(state, &operator, job.season, chunk).await? else {
            store::mark_overtaken(&state.pool, job).await?;
            return Ok(painted);
        };
        painted += corrected;
        processed += chunk.len();
        store::save_paint_progress(state, job, processed, corrections.len()).await?;
    }
    store::mark_done(&state.pool, job, replay.matched_placements()).await?;
    Ok(painted)
}

/// What is overloaded is tried again: this waits for painters, not they for it.
async fn paint_chunk(
    state: &AppState,
    operator: &Agent,
    season: i64,
    chunk: &[Correction],
) -> Result<Option<usize>, Refusal> {
    loop {
        let command = CorrectPixels { season, corrections: chunk.to_vec() };
        match state.log.submit(operator, None, command, None).await {
            Ok(CommandOutcome::Executed(painted)) => return Ok(painted),
            Ok(CommandOutcome::Replayed(_)) => return Ok(Some(0)),
            Err(Refusal::Overloaded) => sleep(RETRY_DELAY).await,
            Err(refusal) => return Err(refusal),
        }
    }
}

/// Folds a season's log up to now, with and without what is struck; also returns the newest event that is in.
pub(super) async fn replay_placements<F: Future<Output = Result<(), sqlx::Error>>>(
    state: &AppState,
    target: RollbackFilter,
    filters: Vec<RollbackFilter>,
    season: i64,
    on_progress: impl Fn(i64, i64) -> F,
) -> Result<(RollbackReplay, i64), Refusal> {
    let head = state.read_world(|world| world.head);
    let mut replay = RollbackReplay::new(target, filters);
    let mut position = season;
    while position < head {
        let next = (position + EVENTS_PER_READ).min(head);
        let page = store::list_placements(&state.pool, position, next, target.rect).await?;
        page.iter().for_each(|placement| replay.apply(placement));
        position = next;
        on_progress(position - season, head - season).await?;
    }
    Ok((replay, head))
}
