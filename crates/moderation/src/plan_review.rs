//! The plans as operators see them: with those that were taken down, and those that only their author sees.

use std::sync::Arc;

use caraplace_canvas::plans::views::{find_stored_plans, plan_views};
use caraplace_log::state::AppState;
use chrono::{DateTime, Utc};
use platform::refusal::Refusal;
use rules::plan::record::{PlanRecord, PlanView};

use super::store;

/// A page of plans, newest first.
pub struct PlanReviewPage {
    pub plans: Vec<PlanView>,
    /// The `before` of the next page; `None` on the last page.
    pub next_before: Option<DateTime<Utc>>,
}

/// Returns the plans that were opened before a time, newest first.
pub async fn list(
    state: &AppState,
    before: Option<DateTime<Utc>>,
    limit: usize,
) -> Result<PlanReviewPage, Refusal> {
    let ids = store::plans::plan_ids_before(&state.pool, before, limit as i64).await?;
    let records = find_stored_plans(state, &ids).await?;
    let records: Vec<Arc<PlanRecord>> = ids.iter().filter_map(|id| records.get(id).cloned()).collect();
    let next_before = records.last().map(|record| record.created_at).filter(|_| ids.len() == limit);
    let plans = plan_views(state, &records, state.clock.now()).await?;
    Ok(PlanReviewPage { plans, next_before })
}
