//! `/api/plans`: target pictures that many finish.

use actix_web::HttpRequest;
use actix_web::web::{Data, Path};
use platform::input;
use platform::refusal::codes::Code;
use rules::ids::{CrewId, PlanId};
use rules::plan::PlanState;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::canvas::plans::claims::{self, ClaimPixelsBody};
use crate::canvas::plans::list::{self, DEFAULT_LIMIT, MAX_LIMIT, PlanQuery};
use crate::canvas::plans::new_plan::{ChangePlanBody, NewPlanBody};
use crate::canvas::plans::next::{DEFAULT_PIXELS, MAX_PIXELS};
use crate::canvas::plans::picture::{self, NewPlanResponse};
use crate::canvas::plans::read::SinglePlan;
use crate::canvas::plans::{change, close, create, next, read};
use crate::companion::app::App;
use crate::log::audit_reason::AuditReason;
use crate::server::http::HandlerResult;
use crate::server::http::request::auth_author::{Author, AuthorBody, AuthorUpload, UploadContent};
use crate::server::http::request::extract::{JsonBody, MaybeAuth};
use crate::server::http::request::query::{QueryParams, invalid};
use crate::server::http::request::request_address::RequestAddress;
use crate::server::http::request::request_body::RequestBody;
use crate::server::http::response::no_store::{no_store_created, no_store_json};
use crate::server::http::response::not_found::parse_plan_id;
use crate::server::http::response::problem::Problem;

/// The reason in the audit log for a plan that an operator changes here.
const CHANGE_REASON: &str = "changed with PUT /api/plans/{id}";
/// The reason in the audit log for a plan that an operator closes here.
const CLOSE_REASON: &str = "closed with POST /api/plans/{id}/close";
/// The fields that a PNG has as query parameters.
const PICTURE_PARAMS: [&str; 6] = ["title", "x", "y", "note", "crew_id", "expires_in"];

impl RequestBody for ClaimPixelsBody {}

/// Request body of `POST /api/plans/{id}/close`: an object without fields.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ClosePlanBody {}

/// Opens a plan.
pub async fn create(
    request: HttpRequest,
    app: Data<App>,
    address: RequestAddress,
    upload: AuthorUpload<NewPlanBody>,
) -> HandlerResult {
    let params = QueryParams::from_request(&request)?;
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
    match params.pairs().find(|(name, _)| PICTURE_PARAMS.contains(name)) {
        Some((name, _)) => {
            let detail = format!("With application/json, {name} is a field of the body, not a parameter.");
            Err(Problem::for_field(Code::InvalidField, name, detail))
        }
        None => Ok(()),
    }
}

fn read_picture_params(params: &QueryParams) -> Result<NewPlanBody, Problem> {
    Ok(NewPlanBody {
        title: params.required_text("title")?.to_owned(),
        x: params.required_number("x")?,
        y: params.required_number("y")?,
        rows: Vec::new(),
        note: params.text("note")?.map(str::to_owned),
        crew_id: params.text("crew_id")?.map(str::to_owned),
        expires_in: params.number("expires_in")?,
    })
}

/// Returns a page of plans.
pub async fn list(request: HttpRequest, app: Data<App>, caller: MaybeAuth) -> HandlerResult {
    let params = QueryParams::from_request(&request)?;
    let size = app.state.read_world(|world| world.season.size);
    let states = PlanState::ALL.map(|state| (state.name(), state));
    let query = PlanQuery {
        state: params.choice("state", &states)?,
        near: params.text("near")?.map(|text| input::near(size, text)).transpose()?,
        author: params.text("author")?.map(str::to_owned),
        crew: params.text("crew")?.map(parse_crew).transpose()?,
        limit: params.number_in_range("limit", 1..=MAX_LIMIT as i64, DEFAULT_LIMIT as i64)? as usize,
        before: params
            .text("before")?
            .map(|text| PlanId::parse(text).ok_or_else(list::bad_cursor))
            .transpose()?,
    };
    Ok(no_store_json(list::list_plans(&app.state, caller.0.as_deref(), &query).await?))
}

fn parse_crew(text: &str) -> Result<CrewId, Problem> {
    CrewId::parse(text).ok_or_else(|| invalid("crew", "must be the id of a crew"))
}

/// Returns a plan.
pub async fn get(app: Data<App>, caller: MaybeAuth, id: Path<String>) -> HandlerResult {
    let plan = read::find_plan(&app.state, caller.0.as_deref(), &parse_plan_id(&id)?).await?;
    Ok(no_store_json(SinglePlan { plan }))
}

/// Changes a plan.
pub async fn change(
    app: Data<App>,
    address: RequestAddress,
    body: AuthorBody<ChangePlanBody>,
    id: Path<String>,
) -> HandlerResult {
    let id = parse_plan_id(&id)?;
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
    let id = parse_plan_id(&id)?;
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
pub async fn next(
    request: HttpRequest,
    app: Data<App>,
    caller: MaybeAuth,
    id: Path<String>,
) -> HandlerResult {
    let params = QueryParams::from_request(&request)?;
    let count = params.number_in_range("n", 1..=MAX_PIXELS, DEFAULT_PIXELS)? as usize;
    let pixels = next::next_pixels(&app.state, caller.0.as_deref(), &parse_plan_id(&id)?, count).await?;
    Ok(no_store_json(pixels))
}

/// Claims pixels of a plan.
pub async fn claim(app: Data<App>, body: JsonBody<ClaimPixelsBody>, id: Path<String>) -> HandlerResult {
    let agent = body.require_caller()?;
    Ok(no_store_created(claims::claim_pixels(&app.state, agent, &parse_plan_id(&id)?, &body.fields).await?))
}
