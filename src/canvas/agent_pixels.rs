//! What of an agent's work still stands, what was painted over, and by whom.

use std::collections::{BTreeSet, HashSet};

use rules::grid::{Corners, Point, Size};

use super::{OwnPlacement, Placement, store};
use crate::log::key_cache::Agent;
use crate::log::world::World;
use crate::refusal::Refusal;
use crate::state::AppState;

/// How far back an agent's work is looked at, in placements.
pub const MAX_OWN_PLACEMENTS: i32 = 1_000;

/// How often a pixel may have been painted since it was lost for the loss to be found exactly.
const MAX_COVER_STEPS: i32 = 64;
/// How near is near, in pixels.
const NEARBY_PIXELS: u16 = 4;
/// How many changes near an agent's pixels are looked at, the newest.
const MAX_NEARBY_CHANGES: usize = 500;

/// An agent's newest work on this canvas.
#[derive(Clone, Debug, Default)]
pub struct AgentPixels {
    /// What everyone sees, newest first.
    pub visible: Vec<OwnPlacement>,
    /// What others have painted over.
    covered: Vec<OwnPlacement>,
    /// Number of the newest placement on each of those pixels.
    newest_on_covered: Vec<i64>,
    /// Number of the agent's newest placement; 0 for one that has painted nothing here.
    pub newest_seq: i64,
}

impl AgentPixels {
    /// Compares what an agent has put there, newest first, with what is there.
    fn from_placements(placements: &[OwnPlacement], world: &World) -> Self {
        let newest = placements.first().map_or(0, |one| one.seq);
        let (mut pixels, mut seen_points) = (Self { newest_seq: newest, ..Self::default() }, HashSet::new());
        for placement in placements.iter().filter(|one| seen_points.insert(one.point)) {
            match world.newest_placement_seq(placement.point).filter(|latest| *latest > placement.seq) {
                Some(latest) => {
                    pixels.newest_on_covered.push(latest);
                    pixels.covered.push(*placement);
                }
                None => pixels.visible.push(*placement),
            }
        }
        pixels
    }
}

/// What an agent has on this canvas.
///
/// # Errors
/// When the database cannot be read.
pub async fn find_agent_pixels(state: &AppState, agent: &Agent) -> Result<AgentPixels, Refusal> {
    let season = state.read_world(|world| world.season.seq);
    let placements = store::own_placements(&state.pool, agent.no, season, MAX_OWN_PLACEMENTS).await?;
    Ok(state.read_world(|world| AgentPixels::from_placements(&placements, world)))
}

/// What others have painted over an agent's work, oldest first. What happens there later is not the agent's loss.
///
/// # Errors
/// When the database cannot be read.
pub async fn find_covering_placements(
    state: &AppState,
    agent: &Agent,
    pixels: &AgentPixels,
) -> Result<Vec<Placement>, Refusal> {
    if pixels.covered.is_empty() {
        return Ok(Vec::new());
    }
    let covered: Vec<i64> = pixels.covered.iter().map(|placement| placement.seq).collect();
    let covering =
        store::covered_by(&state.pool, &covered, &pixels.newest_on_covered, MAX_COVER_STEPS).await?;
    placements_by_others(state, agent, &covering).await
}

/// What others have painted near where an agent has painted, since it last did, oldest first.
///
/// # Errors
/// When the database cannot be read.
pub async fn find_nearby_placements(
    state: &AppState,
    agent: &Agent,
    pixels: &AgentPixels,
) -> Result<Vec<Placement>, Refusal> {
    let newer = state.read_world(|world| newer_placements_nearby(pixels, world));
    placements_by_others(state, agent, &newer).await
}

/// The newest numbers after the agent's own on and around the pixels that are or were its own.
fn newer_placements_nearby(pixels: &AgentPixels, world: &World) -> Vec<i64> {
    let size = world.season.size;
    let points = pixels.visible.iter().chain(&pixels.covered).map(|placement| placement.point);
    let neighbourhoods = points.filter_map(|point| size.rect(neighbourhood(point, size)));
    let rows = neighbourhoods.flat_map(|rect| rect.rows(size, world.placement_seqs()));
    let newer = rows.flatten().copied().filter(|seq| *seq > pixels.newest_seq);
    let mut newer: Vec<i64> =
        newer.collect::<BTreeSet<_>>().into_iter().rev().take(MAX_NEARBY_CHANGES).collect();
    newer.reverse();
    newer
}

fn neighbourhood(Point { x, y }: Point, size: Size) -> Corners {
    let range = |at: u16, end: u16| {
        (
            i64::from(at.saturating_sub(NEARBY_PIXELS)),
            i64::from(at.saturating_add(NEARBY_PIXELS).min(end - 1)),
        )
    };
    let ((x1, x2), (y1, y2)) = (range(x, size.width), range(y, size.height));
    Corners { x1, y1, x2, y2 }
}

/// Those of these placements that are not the agent's, oldest first.
///
/// # Errors
/// When the database cannot be read.
pub async fn placements_by_others(
    state: &AppState,
    agent: &Agent,
    seqs: &[i64],
) -> Result<Vec<Placement>, Refusal> {
    if seqs.is_empty() {
        return Ok(Vec::new());
    }
    let mut placements = store::placements_by_seq(&state.pool, seqs).await?;
    // The agent may have painted since its work was looked at.
    placements.retain(|placement| placement.agent_id != agent.id);
    Ok(placements)
}
