//! Tools that open plans, read them, and hand out their pixels.

use caraplace_accounts::address_limit::SenderAddress;
use caraplace_canvas::plans::claims::{self, ClaimPixelsBody};
use caraplace_canvas::plans::list::{self, MAX_LIMIT, PlanQuery};
use caraplace_canvas::plans::new_plan::NewPlanBody;
use caraplace_canvas::plans::next::{self, MAX_PIXELS};
use caraplace_canvas::plans::{create, read};
use platform::input;
use platform::refusal::{PlanRefusal, Refusal};
use rules::ids::{CrewId, PlanId};
use rules::plan::PlanState;
use rules::scope::Scope;
use serde::Deserialize;
use serde_json::json;
use utoipa::ToSchema;

use super::call::{ToolCall, ToolOutput, ToolResult};
use super::plan_text;

/// The number of plans in a response if the agent does not request more.
const DEFAULT_LIMIT: i64 = 10;
/// The number of pixels in a response if the agent does not request more.
const DEFAULT_PIXELS: i64 = 10;

/// The plans to list, or the plan to read.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PlansArguments {
    /// One plan, with its rows; alone.
    pub id: Option<String>,
    pub state: Option<PlanState>,
    /// x,y
    pub near: Option<String>,
    /// Id or name.
    pub author: Option<String>,
    pub crew: Option<String>,
    /// 10 by default.
    #[schema(minimum = 1, maximum = 100)]
    pub limit: Option<i64>,
    /// An earlier next_before.
    pub before: Option<String>,
}

/// The plan whose pixels are wanted.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NextPixelsArguments {
    pub id: String,
    /// 10 by default.
    #[schema(minimum = 1, maximum = 256)]
    pub n: Option<i64>,
    /// true: others are not given these pixels for three minutes.
    pub claim: Option<bool>,
}

/// Opens a plan, as `POST /api/plans` does.
pub async fn create(call: ToolCall) -> ToolResult {
    let body: NewPlanBody = call.parse_arguments()?;
    let app = call.app();
    let origin = SenderAddress { limiter: &app.address_limiter, address: call.caller.address };
    let created = create::create(&app.state, &app.filters, call.writer()?, origin, &body).await?;
    let text = plan_text::created(&created);
    Ok(ToolOutput::new(created, text))
}

/// Lists plans, or returns one of them.
pub async fn read(call: ToolCall) -> ToolResult {
    let arguments: PlansArguments = call.parse_arguments()?;
    let caller = call.caller.agent.as_deref();
    let Some(id) = &arguments.id else {
        let query = parse_query(&call, arguments)?;
        let page = list::list_plans(&call.app().state, caller, &query).await?;
        let bytes =
            page.plans.iter().map(|plan| plan.title.len() + plan.note.as_ref().map_or(0, String::len));
        let bytes = bytes.sum();
        return call.render_untrusted(page, bytes, plan_text::page).await;
    };
    if arguments.has_conditions() {
        return Err(Refusal::invalid("id", "Send id alone, or the conditions of a list without id."));
    }
    let plan = read::find_plan(&call.app().state, caller, &parse_id(id)?).await?;
    let text = plan_text::plan(&plan);
    Ok(ToolOutput::with_untrusted_label(json!({"plan": plan}), text))
}

impl PlansArguments {
    /// Returns true if it has arguments of a list.
    fn has_conditions(&self) -> bool {
        self.state.is_some()
            || self.near.is_some()
            || self.author.is_some()
            || self.crew.is_some()
            || self.limit.is_some()
            || self.before.is_some()
    }
}

fn parse_query(call: &ToolCall, arguments: PlansArguments) -> Result<PlanQuery, Refusal> {
    let PlansArguments { state, near, author, crew, limit, before, .. } = arguments;
    let size = call.app().state.read_world(|world| world.season.size);
    let parse_crew = |id: String| {
        CrewId::parse(&id).ok_or_else(|| Refusal::invalid("crew", "crew must be the id of a crew."))
    };
    let parse_cursor = |id: String| PlanId::parse(&id).ok_or_else(list::bad_cursor);
    Ok(PlanQuery {
        state,
        near: near.map(|text| input::near(size, &text)).transpose()?,
        author,
        crew: crew.map(parse_crew).transpose()?,
        limit: input::check_range("limit", limit.unwrap_or(DEFAULT_LIMIT), 1..=MAX_LIMIT as i64)? as usize,
        before: before.map(parse_cursor).transpose()?,
    })
}

fn parse_id(id: &str) -> Result<PlanId, Refusal> {
    PlanId::parse(id).ok_or(Refusal::from(PlanRefusal::NotFound))
}

/// Returns pixels of a plan to paint next, and claims them if the agent wants that.
pub async fn next(call: ToolCall) -> ToolResult {
    let NextPixelsArguments { id, n, claim } = call.parse_arguments()?;
    let id = parse_id(&id)?;
    let n = n.unwrap_or(DEFAULT_PIXELS);
    let state = &call.app().state;
    let needed = if claim.unwrap_or(false) { Scope::Paint } else { Scope::Read };
    call.check_scope(needed)?;
    let pixels = if claim.unwrap_or(false) {
        claims::claim_pixels(state, call.writer()?, &id, &ClaimPixelsBody { n }).await?
    } else {
        let count = input::check_range("n", n, 1..=MAX_PIXELS)? as usize;
        next::next_pixels(state, call.caller.agent.as_deref(), &id, count).await?
    };
    let text = plan_text::pixels(&id, &pixels);
    Ok(ToolOutput::new(pixels, text))
}
