//! Keeps the canvas now and then, so that the next start has only the newest placements to fold.

use super::Log;
use super::store::{self, Fold};
use crate::log::world::World;
use crate::refusal::Refusal;

/// After so many events a new fold is worth its writing, or after as many as there are pixels.
const WORTH: i64 = 100_000;

impl Log {
    /// Keeps the canvas as it is now, if enough has happened since event `kept`. Returns the newest event that is in
    /// what was kept last.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn keep_fold(&self, kept: i64) -> Result<i64, Refusal> {
        let Some((season, fold)) = self.snapshot(|world| worthwhile(world, kept)) else { return Ok(kept) };
        let mut connection = self.pool.acquire().await?;
        store::keep_fold(&mut connection, season, &fold).await?;
        Ok(fold.seq)
    }
}

fn worthwhile(world: &World, kept: i64) -> Option<(i64, Fold)> {
    if world.head - kept < WORTH.max(world.pixels().len() as i64) {
        return None;
    }
    let fold = Fold {
        seq: world.head,
        pixels: world.pixels().to_vec(),
        latest: world.placements().to_vec(),
        painters: Some(world.painters().to_vec()),
    };
    Some((world.season.seq, fold))
}
