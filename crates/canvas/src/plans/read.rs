//! Reads one plan.

use std::sync::Arc;

use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use caraplace_log::world::World;
use platform::refusal::{PlanRefusal, Refusal};
use rules::ids::PlanId;
use rules::plan::record::PlanRecord;
use serde::Serialize;
use utoipa::ToSchema;

use super::Plan;
use super::board::{LivePlan, PlanBoard};
use super::views::{find_stored_plan, plan_views};

/// Response with one plan.
#[derive(Debug, Serialize, ToSchema)]
pub struct SinglePlan {
    pub plan: Plan,
}

/// Returns a plan as the caller sees it, after every placement that was acknowledged before, on any instance.
///
/// # Errors
/// `Plan` if the caller can see no such plan.
pub async fn find_plan(state: &AppState, caller: Option<&Identity>, id: &PlanId) -> Result<Plan, Refusal> {
    // An instance that cannot catch up shows the plan as it knows it: most read it without painting.
    state.log.catch_up_if_behind().await.ok();
    let now = state.clock.now();
    let live =
        state.read_world(|world| find_live(world, caller, id).map(|plan| plan.view(&world.canvas, now)));
    if let Some(view) = live {
        return Plan::from_view(state, &view).await;
    }
    let record = find_stored(state, caller, id).await?;
    let views = plan_views(state, &[record], now).await?;
    Plan::from_view(state, views.first().ok_or(PlanRefusal::NotFound)?).await
}

/// Returns the stored form of a plan that has not ended.
///
/// # Errors
/// `Plan` if the caller can see no such plan, or it has ended.
pub(super) async fn find_unended(
    state: &AppState,
    caller: Option<&Identity>,
    id: &PlanId,
) -> Result<Arc<PlanRecord>, Refusal> {
    let live = state.read_world(|world| find_live(world, caller, id).map(|plan| plan.record.clone()));
    let record = match live {
        Some(record) => record,
        None => find_stored(state, caller, id).await?,
    };
    if record.has_ended(state.clock.now()) { Err(PlanRefusal::Ended.into()) } else { Ok(record) }
}

/// Returns a plan as a caller sees it; `None` if the caller cannot see it.
pub fn plan_as_seen_by(record: &Arc<PlanRecord>, caller: Option<&Identity>) -> Option<Arc<PlanRecord>> {
    let is_visible = record.is_visible_to(caller.map(|caller| caller.no));
    let seen =
        caller.map_or_else(|| record.clone(), |caller| record.as_seen_by(caller.no, caller.rights.shadowed));
    is_visible.then_some(seen)
}

/// Returns a live plan as everyone sees it; `None` if it is not known in memory, or if the caller may see it
/// otherwise.
fn find_live<'a>(world: &'a World, caller: Option<&Identity>, id: &PlanId) -> Option<&'a LivePlan> {
    let plan = PlanBoard::of(world).find(id.as_str())?;
    let may_differ = caller.is_some_and(|caller| {
        caller.rights.shadowed && (caller.no == plan.record.author.no || plan.record.crew.is_some())
    });
    (!may_differ).then_some(plan)
}

async fn find_stored(
    state: &AppState,
    caller: Option<&Identity>,
    id: &PlanId,
) -> Result<Arc<PlanRecord>, Refusal> {
    let record = find_stored_plan(state, id).await?;
    Ok(record.and_then(|record| plan_as_seen_by(&record, caller)).ok_or(PlanRefusal::NotFound)?)
}
