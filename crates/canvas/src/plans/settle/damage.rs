//! Records whether the pixels of finished plans are painted over, and wakes waiting calls of the plans'
//! authors. Damage is no event, because a finished plan stays finished. Every instance checks the plans, and
//! the first one to write records the change.

use std::collections::HashMap;

use caraplace_log::state::AppState;
use caraplace_log::world::World;
use rules::numbers::Seq;
use tokio::time::sleep;

use super::{POLL_INTERVAL, RETRY_DELAY};
use crate::plans::board::{LivePlan, PlanBoard};
use crate::plans::compare::newest_seq_in;
use crate::plans::store::{self, PlanDamage};

/// The pictures with recorded damage: the `target_seq` of each by the number of its plan.
type DamagedPictures = HashMap<i64, Seq>;

/// Records damage and repairs until the task is aborted.
pub(super) async fn run(state: &AppState) {
    let mut told = load(state).await;
    loop {
        sleep(POLL_INTERVAL).await;
        if let Err(error) = tell_changes(state, &mut told).await {
            tracing::warn!(%error, "damage of plans could not be told, trying again");
            sleep(RETRY_DELAY).await;
        }
    }
}

/// Reads the damage that was recorded before this instance started. Otherwise the instance would not record
/// that such damage was repaired meanwhile.
async fn load(state: &AppState) -> DamagedPictures {
    loop {
        match store::damaged_plans(&state.pool).await {
            Ok(told) => return told.into_iter().collect(),
            Err(error) => tracing::warn!(%error, "damage of plans could not be read, trying again"),
        }
        sleep(RETRY_DELAY).await;
    }
}

async fn tell_changes(state: &AppState, told: &mut DamagedPictures) -> Result<(), sqlx::Error> {
    let changes = state.read_world(|world| {
        // Plans that have ended can no longer change.
        told.retain(|plan, _| PlanBoard::of(world).get(*plan).is_some());
        find_changes(world, told)
    });
    for change in changes {
        store::record_damage(&state.pool, &change, state.clock.now()).await?;
        // Damage has no event that would wake waiting calls. Each instance wakes its own ones, once the row
        // is stored.
        state.hub.waits.wake(&[change.author]);
        if change.is_damaged {
            told.insert(change.plan, change.target_seq);
        } else {
            told.remove(&change.plan);
        }
    }
    Ok(())
}

/// Returns the finished plans that are damaged without a record of it, and those that are recorded as damaged
/// and were repaired.
fn find_changes(world: &World, told: &DamagedPictures) -> Vec<PlanDamage> {
    let finished = PlanBoard::of(world).iter().filter(|plan| plan.record.finished_at.is_some());
    let to_change = |plan: &LivePlan| {
        let record = &plan.record;
        let is_damaged = plan.progress().left > 0;
        let is_told = told.get(&record.no) == Some(&record.target_seq);
        (is_damaged != is_told).then(|| PlanDamage {
            plan: record.no,
            author: record.author.no,
            target_seq: record.target_seq,
            seq: newest_seq_in(&world.canvas, record),
            is_damaged,
        })
    };
    finished.filter_map(to_change).collect()
}
