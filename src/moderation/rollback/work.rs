//! The work behind a rollback: reads the season's log, then corrects the canvas, some pixels at a time.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;
use rules::rollback::{Correction, RollbackFilter, RollbackReplay};
use tokio::time::sleep;

use super::correct::Correct;
use super::store::{self, Job};
use crate::agents::holder;
use crate::log::deed::Outcome;
use crate::log::roster::Agent;
use crate::refusal::Refusal;
use crate::state::AppState;

/// How many events are read at a time.
const PAGE: i64 = 50_000;
/// How many pixels are corrected in one go: as many as one agent may paint at most.
const CHUNK: usize = 256;
/// How often it is looked whether there is something to do.
const LOOK: Duration = Duration::from_millis(500);
/// Whoever has not said for so long to be at it is not.
const STALE: TimeDelta = TimeDelta::seconds(15);
/// Before something that was refused is tried again.
const AGAIN: Duration = Duration::from_millis(200);

/// Does what is to be done, on this instance, for as long as it is not aborted.
pub async fn run(state: Arc<AppState>) {
    loop {
        sleep(LOOK).await;
        let now = state.clock.now();
        match store::claim(&state.pool, now, now - STALE).await {
            Ok(Some(job)) => finish(&state, &job).await,
            Ok(None) => {}
            Err(error) => {
                tracing::debug!(%error, "rollbacks could not be looked for");
            }
        }
    }
}

async fn finish(state: &AppState, job: &Job) {
    let id = &job.id;
    match correct(state, job).await {
        Ok(pixels) => tracing::info!(%id, pixels, "the canvas was corrected"),
        Err(error) => {
            tracing::warn!(%id, ?error, "a rollback could not be finished; trying again");
            // Where it was undone meanwhile, whoever is next need not wait.
            let _ = store::let_go(&state.pool, job).await;
        }
    }
}

/// Corrects the canvas; returns how many pixels were painted over.
async fn correct(state: &AppState, job: &Job) -> Result<usize, Refusal> {
    let strikes = store::strikes(&state.pool, job.season).await?;
    let read = |done, all| store::beat_reading(state, job, done, all);
    let (restoration, _) = fold(state, job.strike, strikes, job.season, read).await?;
    let corrections = restoration.corrections();
    let operator = holder::operator(state).await?;
    let (mut tried, mut painted) = (0, 0);
    for chunk in corrections.chunks(CHUNK) {
        let Some(done) = paint(state, &operator, job.season, chunk).await? else {
            store::overtake(&state.pool, job).await?;
            return Ok(painted);
        };
        painted += done;
        tried += chunk.len();
        store::beat_painting(state, job, tried, corrections.len()).await?;
    }
    store::finish(&state.pool, job, restoration.matched_placements()).await?;
    Ok(painted)
}

/// What is overloaded is tried again: this waits for painters, not they for it.
async fn paint(
    state: &AppState,
    operator: &Agent,
    season: i64,
    chunk: &[Correction],
) -> Result<Option<usize>, Refusal> {
    loop {
        let deed = Correct { season, corrections: chunk.to_vec() };
        match state.log.submit(operator, None, deed, None).await {
            Ok(Outcome::Fresh(painted)) => return Ok(painted),
            Ok(Outcome::Replayed(_)) => return Ok(Some(0)),
            Err(Refusal::Overloaded) => sleep(AGAIN).await,
            Err(refusal) => return Err(refusal),
        }
    }
}

/// Folds a season's log up to now, with and without what is struck; also returns the newest event that is in.
pub(super) async fn fold<F: Future<Output = Result<(), sqlx::Error>>>(
    state: &AppState,
    target: RollbackFilter,
    strikes: Vec<RollbackFilter>,
    season: i64,
    read: impl Fn(i64, i64) -> F,
) -> Result<(RollbackReplay, i64), Refusal> {
    let head = state.snapshot(|world| world.head);
    let mut restoration = RollbackReplay::new(target, strikes);
    let mut known = season;
    while known < head {
        let next = (known + PAGE).min(head);
        let page = store::placements(&state.pool, known, next, target.rect).await?;
        page.iter().for_each(|placed| restoration.apply(placed));
        known = next;
        read(known - season, head - season).await?;
    }
    Ok((restoration, head))
}
