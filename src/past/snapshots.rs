//! Snapshots: the canvas as of every so many numbers, kept in the background.

use std::sync::Arc;
use std::time::Duration;

use rules::grid::Size;
use tokio::time::sleep;

use super::canvas::Canvas;
use super::store::{self, Snapshot};
use crate::refusal::Refusal;
use crate::state::AppState;

/// Numbers between two snapshots of a canvas of usual size.
const APART: i64 = 16_384;
/// On a large canvas, one number for so many pixels: a snapshot takes no more room than a tenth of the placements
/// before it.
const PIXELS_EACH: i64 = 16;
/// How often it is asked whether there is one more to keep.
const PERIOD: Duration = Duration::from_secs(5);
/// Between two while many are missing: what is done now goes first.
const PAUSE: Duration = Duration::from_millis(20);
/// After so many it is told how far it is.
const TOLD: i64 = 100;

/// Numbers between two snapshots of a canvas.
pub fn apart(size: Size) -> i64 {
    APART.max(size.area() as i64 / PIXELS_EACH)
}

/// Keeps those that are missing, from the first number on, and those that become due. Instances that do the same at
/// once keep the same.
pub async fn keep(state: Arc<AppState>) {
    let mut done = 0;
    loop {
        if let Err(error) = catch_up(&state, &mut done).await {
            tracing::warn!(?error, "a snapshot of the canvas could not be kept; trying again soon");
        }
        sleep(PERIOD).await;
    }
}

/// Keeps all that are missing after `done`, which it moves on.
///
/// # Errors
/// When the database cannot be used.
pub async fn catch_up(state: &AppState, done: &mut i64) -> Result<(), Refusal> {
    let mut kept = 0;
    while let Some((step, missed)) = next(state, *done).await? {
        *done = step;
        if missed {
            kept += 1;
            tell(state, kept, step);
            sleep(PAUSE).await;
        }
    }
    if kept > TOLD {
        tracing::info!("snapshots: {kept} kept; the past is up to date");
    }
    Ok(())
}

fn tell(state: &AppState, kept: i64, step: i64) {
    if kept % TOLD == 0 {
        let head = state.snapshot(|world| world.head);
        tracing::info!("snapshots of the past: up to event {step} of {head}");
    }
}

/// The next number after `done` at which a snapshot belongs, or a season ends, and whether it had to be kept. None
/// while the log has not come so far.
async fn next(state: &AppState, done: i64) -> Result<Option<(i64, bool)>, Refusal> {
    let head = state.snapshot(|world| world.head);
    let season = store::season(&state.pool, done + 1).await?;
    let apart = apart(season.size);
    let due = (done.max(season.seq) / apart + 1) * apart;
    if let Some(opening) = store::next_opening(&state.pool, season.seq).await?
        && opening <= due
    {
        return Ok(Some((opening, false)).filter(|_| opening <= head));
    }
    if due > head {
        return Ok(None);
    }
    if store::has_snapshot(&state.pool, due).await? {
        return Ok(Some((due, false)));
    }
    let mut connection = state.pool.acquire().await?;
    let mut canvas = Canvas::blank(season);
    canvas.advance(&mut connection, due).await?;
    let Canvas { seq, version, placements, .. } = canvas;
    let snapshot = Snapshot { seq, version, placements, pixels: canvas.packed() };
    store::keep_snapshot(&mut connection, &snapshot, canvas.at).await?;
    Ok(Some((due, true)))
}
