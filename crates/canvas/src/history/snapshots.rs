//! Stores snapshots of the canvas at regular sequence numbers, in the background.

use std::sync::Arc;
use std::time::Duration;

use caraplace_log::state::AppState;
use platform::refusal::Refusal;
use rules::grid::Size;
use rules::numbers::Seq;
use tokio::time::sleep;

use super::canvas::HistoricalCanvas;
use super::store::{self, CanvasSnapshot};

/// The number of events between two snapshots of a canvas of usual size.
const MIN_SNAPSHOT_INTERVAL: i64 = 16_384;
/// The number of pixels per event of that interval on a large canvas. A snapshot then takes at most a tenth
/// of the space of the placements before it.
const PIXELS_PER_EVENT: i64 = 16;
/// The interval between checks for a due snapshot.
const CHECK_INTERVAL: Duration = Duration::from_secs(5);
/// The pause between two missing snapshots, so that requests have priority.
const CATCH_UP_PAUSE: Duration = Duration::from_millis(20);
/// The number of snapshots after which the progress is logged.
const REPORT_EVERY: i64 = 100;

/// Returns the number of events between two snapshots of a canvas.
pub fn snapshot_interval(size: Size) -> i64 {
    MIN_SNAPSHOT_INTERVAL.max(size.area() as i64 / PIXELS_PER_EVENT)
}

/// Stores the missing snapshots, beginning with the first, and then those that become due. Instances that do
/// this at the same time store the same snapshots.
pub async fn run(state: Arc<AppState>) {
    let mut checked_to = Seq::ZERO;
    loop {
        if let Err(error) = store_missing(&state, &mut checked_to).await {
            tracing::warn!(?error, "canvas snapshot not stored, trying again");
        }
        sleep(CHECK_INTERVAL).await;
    }
}

/// Stores all snapshots that are missing after `checked_to`, and advances it.
pub async fn store_missing(state: &AppState, checked_to: &mut Seq) -> Result<(), Refusal> {
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
        tracing::info!("{stored} canvas snapshots stored, all are up to date");
    }
    Ok(())
}

fn report_progress(state: &AppState, stored: i64, up_to: Seq) {
    if stored % REPORT_EVERY == 0 {
        let head = state.read_world(|world| world.head);
        tracing::info!("canvas snapshots stored up to event {up_to} of {head}");
    }
}

/// Returns the next number after `checked_to` at which a snapshot is due or a new season begins, and true if
/// a snapshot was missing and is now stored. Returns `None` if the log is not that far.
async fn store_next(state: &AppState, checked_to: Seq) -> Result<Option<(Seq, bool)>, Refusal> {
    let head = state.read_world(|world| world.head);
    let season = store::season_at(&state.pool, checked_to.next()).await?;
    let interval = snapshot_interval(season.size);
    let due = Seq((checked_to.max(season.seq).0 / interval + 1) * interval);
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
