//! Snapshots: the canvas as of every so many numbers, kept in the background.

use std::sync::Arc;
use std::time::Duration;

use rules::grid::Size;
use tokio::time::sleep;

use super::canvas::HistoricalCanvas;
use super::store::{self, CanvasSnapshot};
use crate::refusal::Refusal;
use crate::state::AppState;

/// Numbers between two snapshots of a canvas of usual size.
const MIN_SNAPSHOT_INTERVAL: i64 = 16_384;
/// On a large canvas, one number for so many pixels: a snapshot takes no more room than a tenth of the placements
/// before it.
const PIXELS_PER_EVENT: i64 = 16;
/// How often it is asked whether there is one more to keep.
const CHECK_INTERVAL: Duration = Duration::from_secs(5);
/// Between two while many are missing: what is done now goes first.
const CATCH_UP_PAUSE: Duration = Duration::from_millis(20);
/// After so many it is told how far it is.
const REPORT_EVERY: i64 = 100;

/// Numbers between two snapshots of a canvas.
pub fn snapshot_interval(size: Size) -> i64 {
    MIN_SNAPSHOT_INTERVAL.max(size.area() as i64 / PIXELS_PER_EVENT)
}

/// Keeps those that are missing, from the first number on, and those that become due. Instances that do the same at
/// once keep the same.
pub async fn run(state: Arc<AppState>) {
    let mut checked_to = 0;
    loop {
        if let Err(error) = store_missing(&state, &mut checked_to).await {
            tracing::warn!(?error, "a snapshot of the canvas could not be kept; trying again soon");
        }
        sleep(CHECK_INTERVAL).await;
    }
}

/// Keeps all that are missing after `done`, which it moves on.
///
/// # Errors
/// When the database cannot be used.
pub async fn store_missing(state: &AppState, checked_to: &mut i64) -> Result<(), Refusal> {
    let mut stored = 0;
    while let Some((next_seq, was_missing)) = store_next(state, *checked_to).await? {
        *checked_to = next_seq;
        if was_missing {
            stored += 1;
            report_progress(state, stored, next_seq);
            sleep(CATCH_UP_PAUSE).await;
        }
    }
    if stored > REPORT_EVERY {
        tracing::info!("snapshots: {stored} kept; the past is up to date");
    }
    Ok(())
}

fn report_progress(state: &AppState, stored: i64, up_to: i64) {
    if stored % REPORT_EVERY == 0 {
        let head = state.read_world(|world| world.head);
        tracing::info!("snapshots of the past: up to event {up_to} of {head}");
    }
}

/// The next number after `done` at which a snapshot belongs, or a season ends, and whether it had to be kept. None
/// while the log has not come so far.
async fn store_next(state: &AppState, checked_to: i64) -> Result<Option<(i64, bool)>, Refusal> {
    let head = state.read_world(|world| world.head);
    let season = store::season_at(&state.pool, checked_to + 1).await?;
    let interval = snapshot_interval(season.size);
    let due = (checked_to.max(season.seq) / interval + 1) * interval;
    if let Some(opening) = store::next_season_seq(&state.pool, season.seq).await?
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
    let mut canvas = HistoricalCanvas::blank(season);
    canvas.advance_to(&mut connection, due).await?;
    let HistoricalCanvas { seq, version, placements, .. } = canvas;
    let snapshot = CanvasSnapshot { seq, version, placements, pixels: canvas.packed_pixels() };
    store::store_snapshot(&mut connection, &snapshot, canvas.at).await?;
    Ok(Some((due, true)))
}
