//! Keeps the canvas now and then, so that the next start has only the newest placements to fold.

use super::store::Fold;
use super::world::World;

/// After so many events a new fold is worth its writing, or after as many as there are pixels.
const WORTH: i64 = 100_000;

/// Returns the canvas and its season, if enough has happened since event `kept`.
pub(super) fn worthwhile(world: &World, kept: i64) -> Option<(i64, Fold)> {
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
