//! Records whether the pixels of finished plans are painted over, and wakes waiting calls of the plans'
//! authors. Damage is no event, because a finished plan stays finished. Every instance checks the plans, and
//! the first one to write records the change. Before an inbox is read, those of its author's plans are
//! recorded.

use std::collections::HashMap;

use caraplace_log::state::AppState;
use caraplace_log::world::World;
use parking_lot::Mutex;
use rules::numbers::{AccountNo, Seq};
use tokio::time::sleep;

use super::{POLL_INTERVAL, RETRY_DELAY};
use crate::plans::board::{LivePlan, PlanBoard};
use crate::plans::compare::newest_seq_in;
use crate::plans::store::{self, PlanDamage};

/// The pictures with recorded damage: the `target_seq` of each by the number of its plan.
type DamagedPictures = HashMap<i64, Seq>;

/// The damage that this instance knows to be recorded. The checks and the reads of inboxes record it.
#[derive(Default)]
pub struct RecordedDamage(Mutex<DamagedPictures>);

impl RecordedDamage {
    /// Notes a change that was recorded.
    fn note(&self, change: &PlanDamage) {
        let mut pictures = self.0.lock();
        if change.is_damaged {
            pictures.insert(change.plan, change.target_seq);
        } else {
            pictures.remove(&change.plan);
        }
    }
}

/// Records damage and repairs until the task is aborted.
pub(super) async fn run(state: &AppState) {
    let before = load(state).await;
    state.service::<RecordedDamage>().0.lock().extend(before);
    loop {
        sleep(POLL_INTERVAL).await;
        if let Err(error) = record_changes(state).await {
            tracing::warn!(%error, "damage of plans could not be recorded, trying again");
            sleep(RETRY_DELAY).await;
        }
    }
}

/// Reads the damage that was recorded before this instance started. Otherwise the instance would not record
/// that such damage was repaired meanwhile.
async fn load(state: &AppState) -> Vec<(i64, Seq)> {
    loop {
        match store::damaged_plans(&state.pool, None).await {
            Ok(recorded) => return recorded,
            Err(error) => tracing::warn!(%error, "damage of plans could not be read, trying again"),
        }
        sleep(RETRY_DELAY).await;
    }
}

async fn record_changes(state: &AppState) -> Result<(), sqlx::Error> {
    let changes = state.read_world(|world| {
        let mut pictures = state.service::<RecordedDamage>().0.lock();
        // Plans that have ended can no longer change.
        pictures.retain(|plan, _| PlanBoard::of(world).get(*plan).is_some());
        finished_plans(world).filter_map(|plan| find_change(world, plan, &pictures)).collect::<Vec<_>>()
    });
    record(state, &changes).await
}

async fn record(state: &AppState, changes: &[PlanDamage]) -> Result<(), sqlx::Error> {
    for change in changes {
        store::record_damage(&state.pool, change, state.clock.now()).await?;
        // Damage has no event that would wake waiting calls. Each instance wakes its own ones, once the row
        // is stored.
        state.hub.waits.wake(&[change.author]);
        state.service::<RecordedDamage>().note(change);
    }
    Ok(())
}

/// Records the damage and the repairs of an author's plans that the next check would find, so that what is
/// read next has them. An inbox that was read without them and is marked as read up to the newest event would
/// pass over them, because their numbers are those of placements.
pub async fn record_for_author(state: &AppState, author: AccountNo) -> Result<(), sqlx::Error> {
    let is_own = |plan: &&LivePlan| plan.record.author.no == author;
    // Most authors have none, and need no query.
    if !state.read_world(|world| finished_plans(world).any(|plan| is_own(&plan))) {
        return Ok(());
    }
    let recorded = store::damaged_plans(&state.pool, Some(author)).await?;
    let pictures: DamagedPictures = recorded.into_iter().collect();
    let changes = state.read_world(|world| {
        let own = finished_plans(world).filter(is_own);
        own.filter_map(|plan| find_change(world, plan, &pictures)).collect::<Vec<_>>()
    });
    record(state, &changes).await
}

fn finished_plans(world: &World) -> impl Iterator<Item = &LivePlan> {
    PlanBoard::of(world).iter().filter(|plan| plan.record.finished_at.is_some())
}

/// Returns the change of a finished plan that is damaged without a record of it, or that is recorded as
/// damaged and was repaired; `None` for others.
fn find_change(world: &World, plan: &LivePlan, pictures: &DamagedPictures) -> Option<PlanDamage> {
    let record = &plan.record;
    let is_damaged = plan.progress().left > 0;
    let is_recorded = pictures.get(&record.no) == Some(&record.target_seq);
    (is_damaged != is_recorded).then(|| PlanDamage {
        plan: record.no,
        author: record.author.no,
        target_seq: record.target_seq,
        seq: newest_seq_in(&world.canvas, record),
        is_damaged,
    })
}
