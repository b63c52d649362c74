//! What of an agent's work still stands, what was painted over, and by whom.

use std::collections::HashSet;

use super::look::Placement;
use super::store;
use crate::log::Log;
use crate::refusal::Refusal;
use crate::roster::Agent;
use crate::rules::grid::Point;
use crate::world::World;

/// How far back an agent's work is looked at, in placements.
pub const REMEMBERED: i32 = 1_000;

/// Where an agent has painted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Put {
    pub seq: i64,
    pub point: Point,
}

/// An agent's newest work on this canvas.
#[derive(Clone, Debug, Default)]
pub struct Own {
    /// What everyone sees, newest first.
    pub standing: Vec<Put>,
    /// Number of the newest placement on each pixel that was the agent's.
    covering: Vec<i64>,
}

impl Own {
    /// Compares what an agent has put there, newest first, with what is there.
    fn of(put: &[Put], world: &World) -> Self {
        let (mut own, mut seen) = (Self::default(), HashSet::new());
        for one in put.iter().filter(|one| seen.insert(one.point)) {
            match world.latest(one.point).filter(|latest| *latest > one.seq) {
                Some(latest) => own.covering.push(latest),
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
pub async fn of(log: &Log, agent: &Agent) -> Result<Own, Refusal> {
    let season = log.snapshot(|world| world.season.seq);
    let put = store::put_by(&log.pool, agent.no, season, REMEMBERED).await?;
    Ok(log.snapshot(|world| Own::of(&put, world)))
}

/// What others have painted over an agent's work, oldest first.
///
/// # Errors
/// When the database cannot be read.
pub async fn painted_over(log: &Log, agent: &Agent, own: &Own) -> Result<Vec<Placement>, Refusal> {
    placements_by_others(log, agent, &own.covering).await
}

/// Those of these placements that are not the agent's, oldest first.
///
/// # Errors
/// When the database cannot be read.
pub async fn placements_by_others(
    log: &Log,
    agent: &Agent,
    numbers: &[i64],
) -> Result<Vec<Placement>, Refusal> {
    if numbers.is_empty() {
        return Ok(Vec::new());
    }
    let mut placements = store::placements_at(&log.pool, numbers).await?;
    // The agent may have painted since its work was looked at.
    placements.retain(|placement| placement.agent_id != agent.id);
    Ok(placements)
}
