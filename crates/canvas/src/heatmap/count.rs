//! Counts the placements of a season, in parts.

use std::time::Duration;

use caraplace_log::season::Season;
use caraplace_log::state::AppState;
use platform::clock;
use platform::refusal::Refusal;
use rules::numbers::Seq;
use tokio::time::timeout;

use super::pixel_stats::PixelStats;
use super::store;

/// The number of events read in one query.
const EVENTS_PER_READ: i64 = 100_000;

/// The counts, and the newest event of those that are stored.
#[derive(Default)]
pub(super) struct CountProgress {
    pub stats: Option<PixelStats>,
    pub stored_up_to: Seq,
}

/// Updates the counts to the newest event of the current season. Returns `Overloaded` after a time limit.
pub(super) async fn catch_up<'a>(
    state: &AppState,
    progress: &'a mut CountProgress,
    time_limit: Duration,
) -> Result<(&'a mut PixelStats, Season), Refusal> {
    let (season, head) = state.read_world(|world| (world.season.clone(), world.head));
    let stats = count_up_to(state, progress, &season, head, time_limit).await?;
    Ok((stats, season))
}

/// Updates the counts of a season to an event. Returns `Overloaded` after a time limit. The counts keep what
/// was read until then, also if the database fails.
pub(super) async fn count_up_to<'a>(
    state: &AppState,
    progress: &'a mut CountProgress,
    season: &Season,
    head: Seq,
    time_limit: Duration,
) -> Result<&'a mut PixelStats, Refusal> {
    let existing = progress.stats.take_if(|stats| stats.season == season.seq);
    let stats = match existing {
        Some(stats) => stats,
        None => start_stats(state, season, head, &mut progress.stored_up_to).await?,
    };
    let stats = progress.stats.insert(stats);
    let started_at = clock::monotonic_now();
    while stats.up_to < head {
        let next = head.min(stats.up_to.plus(EVENTS_PER_READ));
        let _permit = state.acquire_scan_permit().await;
        let columns = store::placement_columns(&state.pool, stats.up_to, next).await?;
        stats.apply_placements(&columns, next);
        if next < head && started_at.elapsed() > time_limit {
            return Err(Refusal::Overloaded);
        }
    }
    Ok(stats)
}

/// Returns the result of a count; `None` if it is not ready in time.
pub(super) async fn ready_count(
    time_limit: Duration,
    count: impl Future<Output = Result<Option<Vec<i64>>, Refusal>>,
) -> Result<Option<Vec<i64>>, Refusal> {
    match timeout(time_limit, count).await {
        Err(_) | Ok(Err(Refusal::Overloaded)) => Ok(None),
        Ok(result) => result,
    }
}

async fn start_stats(
    state: &AppState,
    season: &Season,
    head: Seq,
    stored_up_to: &mut Seq,
) -> Result<PixelStats, Refusal> {
    let mut stats = PixelStats::new(season);
    let stored = store::find_stats(&state.pool, season.seq).await?;
    if let Some(stored) = stored.filter(|snapshot| snapshot.up_to <= head) {
        *stored_up_to = stored.up_to;
        stats.restore(stored);
    }
    Ok(stats)
}
