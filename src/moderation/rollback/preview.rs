//! Looking before: the picture that a rollback would leave, and how much it would change.

use rules::rollback::RollbackFilter;

use super::store;
use super::work::fold;
use crate::canvas::picture::Cutout;
use crate::refusal::Refusal;
use crate::state::AppState;

/// What a rollback would do.
pub struct Preview {
    /// How many placements it would strike.
    pub placements: usize,
    /// How many pixels would change.
    pub pixels: usize,
    /// The whole canvas as it would be.
    pub after: Cutout,
}

/// Folds the season with and without what would be struck.
///
/// # Errors
/// When the database cannot be read.
pub async fn preview(state: &AppState, strike: &RollbackFilter) -> Result<Preview, Refusal> {
    let _turn = state.scan().await;
    let season = state.snapshot(|world| world.season.clone());
    let mut strikes = store::strikes(&state.pool, season.seq).await?;
    strikes.push(*strike);
    let (restoration, head) = fold(state, *strike, strikes, season.seq, |_, _| async { Ok(()) }).await?;
    let pixels = state.snapshot(|world| {
        if world.season.seq != season.seq {
            return None;
        }
        let mut pixels = world.pixels().to_vec();
        let corrected = strike.rect.points().zip(restoration.corrected_pixels());
        corrected.for_each(|(point, color)| pixels[world.season.size.index(point)] = color);
        Some(pixels)
    });
    let pixels = pixels.ok_or(Refusal::OffCanvas)?;
    Ok(Preview {
        placements: restoration.matched_placements(),
        pixels: restoration.corrections().len(),
        after: Cutout::whole(&season, head, pixels),
    })
}
