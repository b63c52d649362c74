//! Reads one plan.

use std::sync::Arc;

use rules::ids::PlanId;
use serde::Serialize;
use utoipa::ToSchema;

use super::Plan;
use crate::live::plan::PlanRecord;
use crate::log::key_cache::Agent;
use crate::refusal::{PlanRefusal, Refusal};
use crate::state::AppState;

/// Response with one plan.
#[derive(Debug, Serialize, ToSchema)]
pub struct SinglePlan {
    pub plan: Plan,
}

/// Returns a plan as the caller sees it.
///
/// # Errors
/// `Plan` if the caller can see no such plan, or the error of the database.
pub async fn get_plan(state: &AppState, caller: Option<&Agent>, id: &PlanId) -> Result<Plan, Refusal> {
    let now = state.clock.now();
    let live = state.read_world(|world| {
        let plan = world.plans().find(id.as_str())?;
        Some(world.plan_view(plan, now))
    });
    if let Some(view) = live {
        return Plan::from_view(state, &view).await;
    }
    let record = find_stored(state, caller, id).await?;
    let views = state.log.plan_views(&[record], now).await?;
    Plan::from_view(state, views.first().ok_or(PlanRefusal::NotFound)?).await
}

/// Returns the stored form of a plan that has not ended.
///
/// # Errors
/// `Plan` if the caller can see no such plan, or it has ended, or the error of the database.
pub(super) async fn find_unended(
    state: &AppState,
    caller: Option<&Agent>,
    id: &PlanId,
) -> Result<Arc<PlanRecord>, Refusal> {
    let live = state.read_world(|world| Some(world.plans().find(id.as_str())?.record.clone()));
    let record = match live {
        Some(record) => record,
        None => find_stored(state, caller, id).await?,
    };
    if record.has_ended(state.clock.now()) { Err(PlanRefusal::Ended.into()) } else { Ok(record) }
}

async fn find_stored(
    state: &AppState,
    caller: Option<&Agent>,
    id: &PlanId,
) -> Result<Arc<PlanRecord>, Refusal> {
    let record = state.log.find_plan(id).await?;
    let visible = record.filter(|record| record.is_visible_to(caller.map(|caller| caller.no)));
    Ok(visible.ok_or(PlanRefusal::NotFound)?)
}
