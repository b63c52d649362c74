//! `/api/admin/drafts`: the queue of what the guide has proposed and operators decide.

use actix_web::HttpRequest;
use actix_web::web::{Data, Path};
use caraplace_accounts::operators::Operator;
use caraplace_companion::app::App;
use caraplace_companion::drafts::access::DraftPerson;
use caraplace_companion::drafts::{list, reject};

use super::queues::STATE;
use crate::HandlerResult;
use crate::api::guide_drafts::{BEFORE, DraftDecisionBody, DraftResponse, LIMIT, approve_as};
use crate::request::auth_operator::AdminBody;
use crate::request::auth_visitor::GuideEnabled;
use crate::request::authentication::rate_limit_address_of;
use crate::request::query::QueryParams;
use crate::response::no_store::no_store_json;
use crate::response::problem::Problem;
use crate::route::endpoint::Param;
use crate::state::HttpState;

/// The parameters of a page of the queue.
pub const PAGE_PARAMS: &[Param] = &[STATE.param, LIMIT.param, BEFORE.param];

/// Lists the drafts that wait for operators, or those that have waited.
pub async fn page(params: QueryParams, app: Data<App>, _: GuideEnabled) -> HandlerResult {
    let limit = LIMIT.read(&params)?;
    let is_waiting = STATE.read(&params)?;
    let before = BEFORE.read(&params)?;
    Ok(no_store_json(list::list_queue(&app.state, is_waiting, before, limit).await?))
}

/// Approves a draft, and carries it out in the name of the operators.
pub async fn approve(
    request: HttpRequest,
    app: Data<App>,
    http_state: Data<HttpState>,
    _: GuideEnabled,
    body: AdminBody<DraftDecisionBody>,
    id: Path<String>,
) -> HandlerResult {
    let person = operator_of_queue(&request, &body.operator)?;
    approve_as(&app, &http_state, person, &id).await
}

/// Rejects a draft.
pub async fn reject(
    request: HttpRequest,
    app: Data<App>,
    _: GuideEnabled,
    body: AdminBody<DraftDecisionBody>,
    id: Path<String>,
) -> HandlerResult {
    let person = operator_of_queue(&request, &body.operator)?;
    let draft = reject::reject(&app.state, person, &id).await?;
    Ok(no_store_json(DraftResponse { success: true, draft }))
}

/// Returns an operator as the person who decides on drafts of the queue.
pub fn operator_of_queue<'a>(
    request: &HttpRequest,
    operator: &'a Operator,
) -> Result<DraftPerson<'a>, Problem> {
    Ok(DraftPerson::Operator { operator, address: rate_limit_address_of(request)? })
}
