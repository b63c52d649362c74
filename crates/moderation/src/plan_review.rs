//! The plans as operators see them: with those that were taken down, and those that only their author sees.

use std::sync::Arc;

use caraplace_canvas::plans::views::{find_stored_plans, plan_views};
use caraplace_log::state::AppState;
use chrono::{DateTime, Utc};
use platform::refusal::Refusal;
use rules::ids::PlanId;
use rules::plan::PlanState;
use rules::plan::record::{PlanRecord, PlanView};
use serde::Serialize;
use utoipa::ToSchema;

use super::lists::contains_pattern;
use super::store;

/// The states by which plans are searched; `live` ones have neither ended nor been taken down.
pub const PLAN_STATES: [&str; 4] = ["live", "ended", "hidden", "shadowed"];

/// The conditions of a list of plans.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlanReviewFilter<'a> {
    /// A part of the title, in upper or lower case.
    pub title: Option<&'a str>,
    /// One of [`PLAN_STATES`].
    pub state: Option<&'a str>,
}

/// A plan in the operators' list.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReviewedPlan {
    /// `plan_…`.
    pub id: String,
    pub title: String,
    /// `agent_…` or `viewer_…`; the id of the operators' account for a plan by operators.
    pub author_id: String,
    pub author_name: String,
    pub state: PlanState,
    /// True if operators have taken it down.
    pub hidden: bool,
    /// True if only its author can see it.
    pub shadowed: bool,
    /// The number of pixels that are right.
    pub done: usize,
    /// The number of pixels of the picture.
    pub total: usize,
    pub created_at: DateTime<Utc>,
}

/// A page of plans, newest first.
pub struct PlanReviewPage {
    pub plans: Vec<PlanView>,
    /// The `before` of the next page; `None` on the last page.
    pub next_before: Option<String>,
}

impl From<&PlanView> for ReviewedPlan {
    fn from(view: &PlanView) -> Self {
        let plan = &view.record;
        Self {
            id: plan.id.clone(),
            title: plan.title.clone(),
            author_id: plan.author.id.to_string(),
            author_name: plan.author.name.to_string(),
            state: view.state,
            hidden: plan.is_hidden,
            shadowed: !plan.audience.is_everyone(),
            done: view.progress.done,
            total: view.progress.total,
            created_at: plan.created_at,
        }
    }
}

/// Returns the plans that meet the conditions, newest first, after the plan `before`.
pub async fn list(
    state: &AppState,
    filter: &PlanReviewFilter<'_>,
    before: Option<&PlanId>,
    limit: i64,
) -> Result<PlanReviewPage, Refusal> {
    let pattern = filter.title.map(contains_pattern);
    let before = before.map(PlanId::as_str);
    let mut ids =
        store::plans::list_ids(&state.pool, pattern.as_deref(), filter.state, before, limit + 1).await?;
    let has_more = ids.len() as i64 > limit;
    ids.truncate(limit as usize);
    let records = find_stored_plans(state, &ids).await?;
    let records: Vec<Arc<PlanRecord>> = ids.iter().filter_map(|id| records.get(id).cloned()).collect();
    let next_before = ids.pop().filter(|_| has_more);
    let plans = plan_views(state, &records, state.clock.now()).await?;
    Ok(PlanReviewPage { plans, next_before })
}
