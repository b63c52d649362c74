//! `/api/guide/drafts`: what the guide has proposed to a visitor.

use actix_web::web::{Data, Path};
use caraplace_companion::app::App;
use caraplace_companion::drafts::access::DraftPerson;
use caraplace_companion::drafts::{Draft, approve, list, reject};
use platform::refusal::Refusal;
use rules::numbers::AccountNo;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::HandlerResult;
use crate::request::auth_visitor::{AuthVisitor, VisitorBody};
use crate::request::query::QueryParams;
use crate::request::query_param::{NumberParam, TextParam, limit, pattern};
use crate::request::rate_limits::RateLimitKey;
use crate::response::no_store::no_store_json;
use crate::route::endpoint::Param;
use crate::state::HttpState;

/// The number of drafts on a page.
pub const LIMIT: NumberParam = limit(100, 20);
/// The draft after which a page begins.
pub const BEFORE: TextParam =
    pattern("before", "^draft_[0-9a-f]{32}$", "continues after this draft; next_before has it");
/// The parameters of a page of drafts.
pub const PAGE_PARAMS: &[Param] = &[LIMIT.param, BEFORE.param];

/// Request body of a decision on a draft: an object without fields.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DraftDecisionBody {}

/// The response to a decision on a draft.
#[derive(Debug, Serialize, ToSchema)]
pub struct DraftResponse {
    pub success: bool,
    /// The draft after the decision.
    pub draft: Draft,
}

/// Lists the visitor's drafts.
pub async fn page(params: QueryParams, app: Data<App>, visitor: AuthVisitor) -> HandlerResult {
    let limit = LIMIT.read(&params)?;
    Ok(no_store_json(list::list(&app.state, &visitor.0, BEFORE.read(&params)?, limit).await?))
}

/// Approves a draft, and carries it out in the name of the visitor.
pub async fn approve(
    app: Data<App>,
    http_state: Data<HttpState>,
    body: VisitorBody<DraftDecisionBody>,
    id: Path<String>,
) -> HandlerResult {
    let person = DraftPerson::Visitor(&body.visitor);
    approve_as(&app, &http_state, person, &id).await
}

/// Rejects a draft.
pub async fn reject(app: Data<App>, body: VisitorBody<DraftDecisionBody>, id: Path<String>) -> HandlerResult {
    let draft = reject::reject(&app.state, DraftPerson::Visitor(&body.visitor), &id).await?;
    Ok(no_store_json(DraftResponse { success: true, draft }))
}

/// Approves a draft in the name of a person, whose reports count towards its limit.
///
/// # Errors
/// The refusal of the approval.
pub async fn approve_as(
    app: &App,
    http_state: &HttpState,
    person: DraftPerson<'_>,
    id: &str,
) -> HandlerResult {
    let draft = approve::approve(app, person, id, &report_counter(http_state, person)).await?;
    Ok(no_store_json(DraftResponse { success: true, draft }))
}

/// Returns a function that counts a report of a person: by the number of an account, or by the address.
pub fn report_counter(
    http_state: &HttpState,
    person: DraftPerson<'_>,
) -> impl Fn(Option<AccountNo>) -> Result<(), Refusal> + Sync {
    let address = person.address();
    move |account| {
        let key = account.map_or(RateLimitKey::Address(address), RateLimitKey::Agent);
        http_state.rate_limits.count_report(&key)
    }
}
