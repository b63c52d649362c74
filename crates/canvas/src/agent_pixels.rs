//! An agent's pixels: those that are still visible, and those that other agents have painted over.

use std::collections::{BTreeSet, HashSet};

use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use caraplace_log::world::World;
use platform::refusal::Refusal;
use rules::grid::{Corners, Point, Size};
use rules::numbers::{AccountNo, Seq};

use super::{OwnPixel, Placement, store};

/// The number of an agent's newest placements that are examined.
const MAX_OWN_PLACEMENTS: i32 = 1_000;

/// The number of placements on one pixel among which the one that covered the agent's is searched.
const MAX_COVER_STEPS: i32 = 64;
/// The distance within which a placement counts as nearby, in pixels.
const NEARBY_PIXELS: u16 = 4;
/// The maximum number of placements nearby that are reported. The newest are taken.
const MAX_NEARBY_CHANGES: usize = 500;

/// An agent's newest pixels on this canvas.
#[derive(Clone, Debug, Default)]
pub struct AgentPixels {
    /// The visible pixels, newest first.
    pub visible: Vec<OwnPixel>,
    /// The pixels that other agents have painted over.
    covered: Vec<OwnPixel>,
    /// The number of the newest placement on each covered pixel.
    newest_on_overwritten: Vec<Seq>,
    /// The number of the agent's newest placement, or [`Seq::ZERO`] if it has placed no pixel in this season.
    pub newest_seq: Seq,
}

impl AgentPixels {
    /// Compares an agent's placements, newest first, with the canvas. Those that a rollback shows again are
    /// visible.
    fn from_placements(agent: AccountNo, placements: &[OwnPixel], world: &World) -> Self {
        let newest = placements.first().map_or(Seq::ZERO, |placement| placement.seq);
        let mut pixels = Self { newest_seq: newest, ..Self::default() };
        let mut seen_points = HashSet::new();
        for placement in placements.iter().filter(|placement| seen_points.insert(placement.point)) {
            let latest = world.canvas.newest_placement(placement.point);
            if latest.seq > placement.seq && AccountNo::of_painter(latest.painter) != agent {
                pixels.newest_on_overwritten.push(latest.seq);
                pixels.covered.push(*placement);
            } else {
                pixels.visible.push(*placement);
            }
        }
        pixels
    }
}

/// Returns an agent's pixels on this canvas.
pub async fn find_agent_pixels(state: &AppState, agent: &Identity) -> Result<AgentPixels, Refusal> {
    let season = state.read_world(|world| world.season.seq);
    let placements = store::own_placements(&state.pool, agent.no, season, MAX_OWN_PLACEMENTS).await?;
    Ok(state.read_world(|world| AgentPixels::from_placements(agent.no, &placements, world)))
}

/// Returns the placements that covered an agent's pixels, oldest first. Only the first placement on each of
/// its pixels is included, not later ones. Pixels that were placed again more than 63 times since are left
/// out.
pub async fn find_overwriting_placements(
    state: &AppState,
    agent: &Identity,
    pixels: &AgentPixels,
) -> Result<Vec<Placement>, Refusal> {
    if pixels.covered.is_empty() {
        return Ok(Vec::new());
    }
    let covered: Vec<Seq> = pixels.covered.iter().map(|placement| placement.seq).collect();
    let covering = store::find_overwriting_seqs(
        &state.pool,
        agent.no,
        &covered,
        &pixels.newest_on_overwritten,
        MAX_COVER_STEPS,
    )
    .await?;
    placements_by_others(state, agent, &covering).await
}

/// Returns the placements of other agents near an agent's pixels since its newest placement, oldest first.
pub async fn find_nearby_placements(
    state: &AppState,
    agent: &Identity,
    pixels: &AgentPixels,
) -> Result<Vec<Placement>, Refusal> {
    let newer = state.read_world(|world| newer_placements_nearby(pixels, world));
    placements_by_others(state, agent, &newer).await
}

/// Returns the sequence numbers of the placements on and around the agent's pixels that are newer than its
/// own newest one.
fn newer_placements_nearby(pixels: &AgentPixels, world: &World) -> Vec<Seq> {
    let size = world.season.size;
    let points = pixels.visible.iter().chain(&pixels.covered).map(|placement| placement.point);
    let neighbourhoods = points.filter_map(|point| size.rect(neighbourhood(point, size)));
    let rows = neighbourhoods.flat_map(|rect| rect.rows(size, world.canvas.placement_seqs()));
    let newer = rows.flatten().copied().filter(|seq| *seq > pixels.newest_seq);
    let mut newer: Vec<Seq> =
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
    let (x1, x2) = range(x, size.width);
    let (y1, y2) = range(y, size.height);
    Corners { x1, y1, x2, y2 }
}

/// Returns the placements with these sequence numbers that are not by the agent, oldest first.
async fn placements_by_others(
    state: &AppState,
    agent: &Identity,
    seqs: &[Seq],
) -> Result<Vec<Placement>, Refusal> {
    if seqs.is_empty() {
        return Ok(Vec::new());
    }
    let mut placements = store::placements_by_seq(&state.pool, seqs).await?;
    // The agent may have placed pixels since the canvas was compared.
    placements.retain(|placement| placement.agent_id != agent.id);
    Ok(placements)
}
