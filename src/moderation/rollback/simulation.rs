//! Simulates a rollback: the resulting picture and the number of changes.

use rules::rollback::RollbackFilter;

use super::store;
use super::worker::replay_placements;
use crate::canvas::formats::CanvasRegion;
use crate::refusal::Refusal;
use crate::state::AppState;

/// The expected result of a rollback.
pub struct RollbackSimulation {
    /// The number of placements that would be rolled back.
    pub placements: usize,
    /// The number of pixels that would change.
    pub pixels: usize,
    /// The whole canvas after the rollback.
    pub after: CanvasRegion,
}

/// Replays the season with and without the placements of the rollback.
///
/// # Errors
/// If the database cannot be read.
pub async fn simulate_rollback(
    state: &AppState,
    filter: &RollbackFilter,
) -> Result<RollbackSimulation, Refusal> {
    let _permit = state.acquire_scan_permit().await;
    let season = state.read_world(|world| world.season.clone());
    let mut filters = store::list_filters(&state.pool, season.seq).await?;
    filters.push(*filter);
    let (replay, head) =
        replay_placements(state, *filter, filters, season.seq, |_, _| async { Ok(()) }).await?;
    let pixels = state.read_world(|world| {
        if world.season.seq != season.seq {
            return None;
        }
        let mut pixels = world.pixels().to_vec();
        let corrected = filter.rect.points().zip(replay.corrected_pixels());
        corrected.for_each(|(point, color)| pixels[world.season.size.index(point)] = color);
        Some(pixels)
    });
    let pixels = pixels.ok_or(Refusal::OutsideNewCanvas)?;
    Ok(RollbackSimulation {
        placements: replay.matched_placements(),
        pixels: replay.corrections().len(),
        after: CanvasRegion::whole_canvas(&season, head, pixels),
    })
}
