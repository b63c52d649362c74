//! `/api/admin/plans`: lists and searches plans.

use actix_web::web::Data;
use caraplace_companion::app::App;
use caraplace_moderation::plan_review::{self, PLAN_STATES, PlanReviewFilter, ReviewedPlan};
use rules::ids::PlanId;
use serde::Serialize;
use utoipa::ToSchema;

use crate::HandlerResult;
use crate::request::query::{QueryParams, invalid};
use crate::request::query_param::{
    NumberParam, OptionalChoiceParam, PLAN_ID_PATTERN, TextParam, choice, limit, pattern, text,
};
use crate::response::no_store::no_store_json;
use crate::response::problem::Problem;
use crate::route::endpoint::Param;

const TITLE: TextParam = text("title", "only plans with this part in their titles, in any case");
const STATE: OptionalChoiceParam<&str> = choice(
    "state",
    &PLAN_STATES,
    &PLAN_STATES,
    "only plans in this state; live ones have neither ended nor been hidden",
);
const LIMIT: NumberParam = limit(200, 50);
const BEFORE: TextParam =
    pattern("before", PLAN_ID_PATTERN, "only plans older than this one; next_before has it");
/// The parameters of a page of plans.
pub const LIST_PARAMS: &[Param] = &[TITLE.param, STATE.param, LIMIT.param, BEFORE.param];

/// A page of the operators' list of plans.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReviewedPlanPage {
    pub success: bool,
    /// Newest first.
    pub plans: Vec<ReviewedPlan>,
    /// The `before` of the next page; null on the last page.
    pub next_before: Option<String>,
}

/// Lists plans.
pub async fn list(params: QueryParams, app: Data<App>) -> HandlerResult {
    let filter = read_filter(&params)?;
    let limit = LIMIT.read(&params)?;
    let before = read_cursor(&params)?;
    let page = plan_review::list(&app.state, &filter, before.as_ref(), limit).await?;
    let plans = page.plans.iter().map(ReviewedPlan::from).collect();
    Ok(no_store_json(ReviewedPlanPage { success: true, plans, next_before: page.next_before }))
}

/// Reads the conditions of a list of plans.
pub fn read_filter(params: &QueryParams) -> Result<PlanReviewFilter<'_>, Problem> {
    Ok(PlanReviewFilter { title: TITLE.read(params)?, state: STATE.read(params)? })
}

/// Reads the position in a list of plans.
pub fn read_cursor(params: &QueryParams) -> Result<Option<PlanId>, Problem> {
    let refuse = || invalid("before", "must be the id of a plan");
    BEFORE.read(params)?.map(|id| PlanId::parse(id).ok_or_else(refuse)).transpose()
}
