//! Leaves out placements to which a painter has agreed. Two agents agree on the regions of an intent of one
//! of them if the other has replied or reacted to it. This only decides what an inbox reports.

use std::sync::Arc;

use caraplace_canvas::Placement;
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use platform::refusal::Refusal;
use rules::grid::Point;

use super::store::{self, Agreement};

impl Agreement {
    /// Returns true if the placement was made while the agreement held, and where it holds.
    fn covers(&self, placement: &Placement) -> bool {
        let Point { x, y } = placement.point();
        let x = i32::from(x);
        let y = i32::from(y);
        let mut regions = self.regions.as_chunks::<4>().0.iter();
        *self.painter == *placement.agent_id
            && self.seq < placement.seq
            && self.ended_seq.is_none_or(|ended| placement.seq < ended)
            && regions.any(|[x1, y1, x2, y2]| (x1..=x2).contains(&&x) && (y1..=y2).contains(&&y))
    }
}

/// Returns the placements over an agent's pixels without those on which it and their painters agreed.
pub(super) async fn without_agreed(
    state: &AppState,
    agent: &Identity,
    mut placements: Vec<Placement>,
) -> Result<Vec<Placement>, Refusal> {
    if placements.is_empty() {
        return Ok(placements);
    }
    let mut painters: Vec<&Arc<str>> = placements.iter().map(|placement| &placement.agent_id).collect();
    painters.sort_unstable();
    painters.dedup();
    let painters: Vec<String> = painters.into_iter().map(ToString::to_string).collect();
    let season = state.read_world(|world| world.season.seq);
    let mut agreements = store::find_agreements(&state.pool, agent.no, season, &painters).await?;
    if let Some(agent) = agent.own_view() {
        agreements.extend(store::find_own_shadow_agreements(&state.pool, agent, season, &painters).await?);
    }
    placements.retain(|placement| !agreements.iter().any(|agreement| agreement.covers(placement)));
    Ok(placements)
}
