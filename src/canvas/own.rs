//! What of an agent's work still stands, what was painted over, and by whom.

use std::collections::{BTreeSet, HashSet};

use rules::grid::{Corners, Point, Size};

use super::{Placement, Put, store};
use crate::log::roster::Agent;
use crate::log::world::World;
use crate::refusal::Refusal;
use crate::state::AppState;

/// How far back an agent's work is looked at, in placements.
pub const REMEMBERED: i32 = 1_000;

/// How often a pixel may have been painted since it was lost for the loss to be found exactly.
const STEPS: i32 = 64;
/// How near is near, in pixels.
const NEAR: u16 = 4;
/// How many changes near an agent's pixels are looked at, the newest.
const NEWS: usize = 500;

/// An agent's newest work on this canvas.
#[derive(Clone, Debug, Default)]
pub struct Own {
    /// What everyone sees, newest first.
    pub standing: Vec<Put>,
    /// What others have painted over.
    lost: Vec<Put>,
    /// Number of the newest placement on each of those pixels.
    newest_there: Vec<i64>,
    /// Number of the agent's newest placement; 0 for one that has painted nothing here.
    pub newest: i64,
}

impl Own {
    /// Compares what an agent has put there, newest first, with what is there.
    fn of(put: &[Put], world: &World) -> Self {
        let newest = put.first().map_or(0, |one| one.seq);
        let (mut own, mut seen) = (Self { newest, ..Self::default() }, HashSet::new());
        for one in put.iter().filter(|one| seen.insert(one.point)) {
            match world.latest(one.point).filter(|latest| *latest > one.seq) {
                Some(latest) => {
                    own.newest_there.push(latest);
                    own.lost.push(*one);
                }
                None => own.standing.push(*one),
            }
        }
        own
    }
}

/// What an agent has on this canvas.
///
/// # Errors
/// When the database cannot be read.
pub async fn of(state: &AppState, agent: &Agent) -> Result<Own, Refusal> {
    let season = state.snapshot(|world| world.season.seq);
    let put = store::put_by(&state.pool, agent.no, season, REMEMBERED).await?;
    Ok(state.snapshot(|world| Own::of(&put, world)))
}

/// What others have painted over an agent's work, oldest first. What happens there later is not the agent's loss.
///
/// # Errors
/// When the database cannot be read.
pub async fn painted_over(state: &AppState, agent: &Agent, own: &Own) -> Result<Vec<Placement>, Refusal> {
    if own.lost.is_empty() {
        return Ok(Vec::new());
    }
    let lost: Vec<i64> = own.lost.iter().map(|put| put.seq).collect();
    let covers = store::covers(&state.pool, &lost, &own.newest_there, STEPS).await?;
    placements_by_others(state, agent, &covers).await
}

/// What others have painted near where an agent has painted, since it last did, oldest first.
///
/// # Errors
/// When the database cannot be read.
pub async fn painted_near(state: &AppState, agent: &Agent, own: &Own) -> Result<Vec<Placement>, Refusal> {
    let newer = state.snapshot(|world| newer_near(own, world));
    placements_by_others(state, agent, &newer).await
}

/// The newest numbers after the agent's own on and around the pixels that are or were its own.
fn newer_near(own: &Own, world: &World) -> Vec<i64> {
    let size = world.season.size;
    let points = own.standing.iter().chain(&own.lost).map(|put| put.point);
    let around = points.filter_map(|point| size.rect(around(point, size)));
    let rows = around.flat_map(|rect| rect.rows(size, world.placements()));
    let newer = rows.flatten().copied().filter(|seq| *seq > own.newest);
    let mut newer: Vec<i64> = newer.collect::<BTreeSet<_>>().into_iter().rev().take(NEWS).collect();
    newer.reverse();
    newer
}

fn around(Point { x, y }: Point, size: Size) -> Corners {
    let reach = |at: u16, end: u16| {
        (i64::from(at.saturating_sub(NEAR)), i64::from(at.saturating_add(NEAR).min(end - 1)))
    };
    let ((x1, x2), (y1, y2)) = (reach(x, size.width), reach(y, size.height));
    Corners { x1, y1, x2, y2 }
}

/// Those of these placements that are not the agent's, oldest first.
///
/// # Errors
/// When the database cannot be read.
pub async fn placements_by_others(
    state: &AppState,
    agent: &Agent,
    numbers: &[i64],
) -> Result<Vec<Placement>, Refusal> {
    if numbers.is_empty() {
        return Ok(Vec::new());
    }
    let mut placements = store::placements_at(&state.pool, numbers).await?;
    // The agent may have painted since its work was looked at.
    placements.retain(|placement| placement.agent_id != agent.id);
    Ok(placements)
}
