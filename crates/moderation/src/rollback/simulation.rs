//! Simulates a rollback: the resulting picture and the number of changes.

use std::cmp::Reverse;

use caraplace_accounts::agents::{AgentLabel, find_labels};
use caraplace_canvas::formats::CanvasRegion;
use caraplace_log::state::AppState;
use platform::refusal::{PlacementRefusal, Refusal};
use rules::numbers::AccountNo;
use rules::rollback::{AgentLoss, RollbackFilter, RollbackReplay};
use serde::Serialize;
use utoipa::ToSchema;

use super::store;
use super::worker::replay_placements;

/// The placements and pixels that one agent would lose by a rollback.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct PainterLoss {
    pub agent_id: String,
    pub agent_name: String,
    /// The number of its placements that would be removed.
    pub placements: i64,
    /// The number of pixels that show it now and would not afterwards.
    pub pixels: i64,
}

/// The expected result of a rollback.
pub struct RollbackSimulation {
    /// The number of placements that would be rolled back.
    pub placements: usize,
    /// The number of pixels that would change.
    pub pixels: usize,
    /// The agents that would lose placements, the one with the most pixels first.
    pub painters: Vec<PainterLoss>,
    /// The whole canvas after the rollback.
    pub after: CanvasRegion,
}

/// Replays the season with and without the placements of the rollback.
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
        let mut pixels = world.canvas.pixels().to_vec();
        let corrected = filter.rect.points().zip(replay.corrected_pixels());
        corrected.for_each(|(point, color)| pixels[world.season.size.index(point)] = color);
        Some(pixels)
    });
    let pixels = pixels.ok_or(PlacementRefusal::OutsideNewCanvas)?;
    Ok(RollbackSimulation {
        placements: replay.matched_placements(),
        pixels: replay.corrections().len(),
        painters: list_painters(state, &replay).await?,
        after: CanvasRegion::whole_canvas(&season, head, pixels),
    })
}

/// Returns what each agent would lose, the one with the most pixels first.
async fn list_painters(state: &AppState, replay: &RollbackReplay) -> Result<Vec<PainterLoss>, Refusal> {
    let losses = replay.losses();
    let numbers: Vec<AccountNo> = losses.keys().copied().collect();
    let mut labels = find_labels(&state.pool, &numbers).await?;
    let to_loss = |(agent, loss): (AccountNo, AgentLoss)| {
        let AgentLabel { id: agent_id, name: agent_name } = labels.remove(&agent)?;
        let placements = loss.placements as i64;
        let pixels = loss.pixels as i64;
        Some(PainterLoss { agent_id, agent_name, placements, pixels })
    };
    let mut painters: Vec<PainterLoss> = losses.into_iter().filter_map(to_loss).collect();
    painters.sort_by_key(|painter| Reverse((painter.pixels, painter.placements)));
    Ok(painters)
}
