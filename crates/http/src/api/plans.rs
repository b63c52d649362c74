//! `/api/plans`: target pictures that many finish.

use actix_web::web::{Data, Path};
use caraplace_canvas::plans::claims::{self, ClaimPixelsBody};
use caraplace_canvas::plans::list::{self, MAX_LIMIT, PlanQuery};
use caraplace_canvas::plans::new_plan::{ChangePlanBody, NewPlanBody};
use caraplace_canvas::plans::next::MAX_PIXELS;
use caraplace_canvas::plans::picture::{self, NewPlanResponse};
use caraplace_canvas::plans::read::SinglePlan;
use caraplace_canvas::plans::{change, close, create, next, read};
use caraplace_companion::app::App;
use caraplace_log::audit_reason::AuditReason;
use platform::input;
use platform::refusal::codes::Code;
use rules::ids::{CrewId, PlanId};
use rules::plan::{DEFAULT_LIFETIME_SECONDS, MAX_LIFETIME_SECONDS, MIN_LIFETIME_SECONDS, PlanState};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::HandlerResult;
use crate::request::auth_author::{Author, AuthorBody, AuthorUpload, UploadContent};
use crate::request::extract::{JsonBody, MaybeAuth};
use crate::request::query::{QueryParams, invalid};
use crate::request::query_param::{
    CREW_ID_PATTERN, NumberParam, OptionalChoiceParam, OptionalNumberParam, PLAN_ID_PATTERN, POINT_PATTERN,
    TextParam, choice, limit, number, pattern, point, text,
};
use crate::request::request_address::RequestAddress;
use crate::request::request_body::RequestBody;
use crate::response::no_store::{no_store_created, no_store_json};
use crate::response::not_found::parse_id;
use crate::response::problem::Problem;
use crate::route::endpoint::{Param, ParamDefault};
use crate::route::params::path;

/// The reason in the audit log for a plan that an operator changes here.
const CHANGE_REASON: &str = "changed with PUT /api/plans/{id}";
/// The reason in the audit log for a plan that an operator closes here.
const CLOSE_REASON: &str = "closed with POST /api/plans/{id}/close";

const TITLE: TextParam = text("title", "with image/png only, and required then: up to 60 characters");
const POINT: [Param; 2] = point(
    "with image/png only, and required then: the left column",
    "with image/png only, and required then: the top row",
);
const NOTE: TextParam = text("note", "with image/png only: up to 280 characters");
const CREW_ID: TextParam = pattern("crew_id", CREW_ID_PATTERN, "with image/png only: a crew of yours");
const EXPIRES_IN: OptionalNumberParam = number(
    "expires_in",
    MIN_LIFETIME_SECONDS..=MAX_LIFETIME_SECONDS,
    "with image/png only: seconds until the plan expires, {default} by default",
);
/// The fields that a PNG has as query parameters.
pub const PICTURE_PARAMS: &[Param] = &[
    TITLE.param,
    POINT[0],
    POINT[1],
    NOTE.param,
    CREW_ID.param,
    EXPIRES_IN.param.with_default(ParamDefault::Number(DEFAULT_LIFETIME_SECONDS)),
];

/// The state of a plan.
pub const STATE: OptionalChoiceParam<PlanState> = choice(
    "state",
    &[
        PlanState::Open.name(),
        PlanState::Finished.name(),
        PlanState::Closed.name(),
        PlanState::Expired.name(),
    ],
    &PlanState::ALL,
    "only plans with this state",
);
const NEAR: TextParam = pattern("near", POINT_PATTERN, "x,y: the nearest pictures come first");
const AUTHOR: TextParam = text("author", "only plans by this author: an id or a name");
const CREW: TextParam = pattern("crew", CREW_ID_PATTERN, "only plans of this crew");
const LIMIT: NumberParam = limit(MAX_LIMIT as i64, 50);
const BEFORE: TextParam = pattern("before", PLAN_ID_PATTERN, "continues after this plan; next_before has it");
/// The parameters of a page of plans.
pub const LIST_PARAMS: &[Param] =
    &[STATE.param, NEAR.param, AUTHOR.param, CREW.param, LIMIT.param, BEFORE.param];

const COUNT: NumberParam =
    number("n", 1..=MAX_PIXELS, "how many at most, {default} by default").with_default(16);
/// The parameters of the next pixels of a plan.
pub const NEXT_PARAMS: &[Param] = &[path("id", "plan_…"), COUNT.param];

impl RequestBody for ClaimPixelsBody {}

/// Request body of `POST /api/plans/{id}/close`: an object without fields.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ClosePlanBody {}

/// Opens a plan.
pub async fn create(
    params: QueryParams,
    app: Data<App>,
    address: RequestAddress,
    upload: AuthorUpload<NewPlanBody>,
) -> HandlerResult {
    let author = upload.author.account(&app.state).await?;
    let (body, mapped) = match upload.content {
        UploadContent::Json(body) => {
            check_no_picture_params(&params)?;
            (body, Vec::new())
        }
        UploadContent::Png(png) => {
            let mut body = read_picture_params(&params)?;
            let picture = picture::read_png(&app.state, &author, png).await?;
            body.rows = picture.rows;
            (body, picture.mapped)
        }
    };
    let created = create::create(&app.state, &app.filters, &author, address.sender_address(), &body).await?;
    Ok(no_store_created(NewPlanResponse { created, mapped }))
}

fn check_no_picture_params(params: &QueryParams) -> Result<(), Problem> {
    let is_field = |name: &str| PICTURE_PARAMS.iter().any(|param| param.name == name);
    match params.pairs().find(|(name, _)| is_field(name)) {
        Some((name, _)) => {
            let detail = format!("With application/json, {name} is a field of the body, not a parameter.");
            Err(Problem::for_field(Code::InvalidField, name, detail))
        }
        None => Ok(()),
    }
}

fn read_picture_params(params: &QueryParams) -> Result<NewPlanBody, Problem> {
    let [x, y] = POINT;
    Ok(NewPlanBody {
        title: TITLE.read_required(params)?.to_owned(),
        x: params.required_number(x.name)?,
        y: params.required_number(y.name)?,
        rows: Vec::new(),
        note: NOTE.read(params)?.map(str::to_owned),
        crew_id: CREW_ID.read(params)?.map(str::to_owned),
        expires_in: EXPIRES_IN.read_unchecked(params)?,
    })
}

/// Returns a page of plans.
pub async fn list(params: QueryParams, app: Data<App>, caller: MaybeAuth) -> HandlerResult {
    let size = app.state.read_world(|world| world.season.size);
    let query = PlanQuery {
        state: STATE.read(&params)?,
        near: NEAR.read(&params)?.map(|text| input::near(size, text)).transpose()?,
        author: AUTHOR.read(&params)?.map(str::to_owned),
        crew: CREW.read(&params)?.map(parse_crew).transpose()?,
        limit: LIMIT.read(&params)? as usize,
        before: BEFORE
            .read(&params)?
            .map(|text| PlanId::parse(text).ok_or_else(list::bad_cursor))
            .transpose()?,
    };
    Ok(no_store_json(list::list_plans(&app.state, caller.0.as_deref(), &query).await?))
}

fn parse_crew(text: &str) -> Result<CrewId, Problem> {
    CrewId::parse(text).ok_or_else(|| invalid(CREW.param.name, "must be the id of a crew"))
}

/// Returns a plan.
pub async fn get(app: Data<App>, caller: MaybeAuth, id: Path<String>) -> HandlerResult {
    let plan = read::find_plan(&app.state, caller.0.as_deref(), &parse_id(&id)?).await?;
    Ok(no_store_json(SinglePlan { plan }))
}

/// Changes a plan.
pub async fn change(
    app: Data<App>,
    address: RequestAddress,
    body: AuthorBody<ChangePlanBody>,
    id: Path<String>,
) -> HandlerResult {
    let id = parse_id(&id)?;
    let changed = match &body.author {
        Author::Account(account) => {
            change::change(&app.state, &app.filters, account, address.sender_address(), id, body.fields)
                .await?
        }
        Author::Operator(operator) => {
            let reason = AuditReason::new(&operator.name, CHANGE_REASON)?;
            change::change_as_operator(&app.state, &app.filters, reason, id, body.fields).await?
        }
    };
    Ok(no_store_json(changed))
}

/// Closes a plan.
pub async fn close(app: Data<App>, body: AuthorBody<ClosePlanBody>, id: Path<String>) -> HandlerResult {
    let id = parse_id(&id)?;
    let closed = match &body.author {
        Author::Account(account) => close::close(&app.state, account, id).await?,
        Author::Operator(operator) => {
            let reason = AuditReason::new(&operator.name, CLOSE_REASON)?;
            close::close_as_operator(&app.state, reason, id).await?
        }
    };
    Ok(no_store_json(closed))
}

/// Returns the next pixels of a plan.
pub async fn next(params: QueryParams, app: Data<App>, caller: MaybeAuth, id: Path<String>) -> HandlerResult {
    let count = COUNT.read(&params)? as usize;
    let pixels = next::next_pixels(&app.state, caller.0.as_deref(), &parse_id(&id)?, count).await?;
    Ok(no_store_json(pixels))
}

/// Claims pixels of a plan.
pub async fn claim(app: Data<App>, body: JsonBody<ClaimPixelsBody>, id: Path<String>) -> HandlerResult {
    let agent = body.require_caller()?;
    Ok(no_store_created(claims::claim_pixels(&app.state, agent, &parse_id(&id)?, &body.fields).await?))
}
