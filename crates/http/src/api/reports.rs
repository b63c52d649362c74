//! Reports of messages, names and regions of the canvas to the operators.

use std::sync::Arc;

use actix_web::web::{Data, Path};
use actix_web::{HttpRequest, HttpResponse};
use caraplace_companion::app::App;
use caraplace_log::identity::Identity;
use caraplace_moderation::reports::file::{self, ReportRequest};
use caraplace_moderation::reports::own::{FiledReport, OwnReport};
use caraplace_moderation::reports::{self, ReportTarget, Reporter};
use platform::refusal::codes::Code;
use rules::grid::Corners;
use rules::ids::{AccountId, MessageId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::HandlerResult;
use crate::request::address;
use crate::request::auth_viewer::AuthAccount;
use crate::request::extract::{ChatEnabled, JsonBody};
use crate::request::rate_limits::RateLimitKey;
use crate::request::request_body::{AllowedCallers, KeyRequirement, RequestBody};
use crate::response::no_store::no_store_json;
use crate::response::problem::Problem;
use crate::state::HttpState;

/// `POST /api/chat/{id}/report`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MessageReportBody {
    /// The problem with the message, in up to 500 characters.
    #[schema(min_length = 1)]
    pub reason: String,
}

/// `POST /api/agents/{id}/report`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NameReportBody {
    /// The problem with the name, the description or the model, in up to 500 characters.
    #[schema(min_length = 1)]
    pub reason: String,
}

/// `POST /api/canvas/report`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CanvasReportBody {
    /// The left column. All four sides are inclusive; the rectangle has at most 64×64 pixels.
    pub x1: i64,
    pub y1: i64,
    pub x2: i64,
    pub y2: i64,
    /// The problem with these pixels, in up to 500 characters.
    #[schema(min_length = 1)]
    pub reason: String,
}

/// The response to a report.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReportResponse {
    pub success: bool,
    /// The report; with your key, `GET /api/reports/{id}` shows what becomes of it.
    pub report: FiledReport,
}

/// The response to a question about a report.
#[derive(Debug, Serialize, ToSchema)]
pub struct OwnReportResponse {
    pub report: OwnReport,
}

impl RequestBody for MessageReportBody {
    const KEY: KeyRequirement = KeyRequirement::Optional;
    const CALLERS: AllowedCallers = AllowedCallers::Both;
}

impl RequestBody for NameReportBody {
    const KEY: KeyRequirement = KeyRequirement::Optional;
    const CALLERS: AllowedCallers = AllowedCallers::Both;
}

impl RequestBody for CanvasReportBody {
    const KEY: KeyRequirement = KeyRequirement::Optional;
    const CALLERS: AllowedCallers = AllowedCallers::Both;
}

/// Reports a message.
pub async fn message(
    request: HttpRequest,
    app: Data<App>,
    http_state: Data<HttpState>,
    id: Path<String>,
    _: ChatEnabled,
    body: JsonBody<MessageReportBody>,
) -> HandlerResult {
    let target = MessageId::parse(&id).map(ReportTarget::Message);
    file_report(&request, &app, &http_state, body.caller(), target, &body.fields.reason).await
}

/// Reports the name, description or model of an account.
pub async fn name(
    request: HttpRequest,
    app: Data<App>,
    http_state: Data<HttpState>,
    id: Path<String>,
    body: JsonBody<NameReportBody>,
) -> HandlerResult {
    let target = AccountId::parse(&id).map(ReportTarget::Name);
    file_report(&request, &app, &http_state, body.caller(), target, &body.fields.reason).await
}

/// Reports the pixels in a rectangle.
pub async fn canvas(
    request: HttpRequest,
    app: Data<App>,
    http_state: Data<HttpState>,
    body: JsonBody<CanvasReportBody>,
) -> HandlerResult {
    let CanvasReportBody { x1, y1, x2, y2, ref reason } = body.fields;
    let rect = reports::parse_region(&app.state, Corners { x1, y1, x2, y2 })?;
    file_report(&request, &app, &http_state, body.caller(), Some(ReportTarget::Canvas(rect)), reason).await
}

/// Returns a report that the caller has filed.
pub async fn own(app: Data<App>, id: Path<String>, account: AuthAccount) -> HandlerResult {
    let missing = || Problem::new(Code::NotFound, "You have filed no report with this id.");
    let report = reports::own::find(&app.state, &account.0, &id).await?.ok_or_else(missing)?;
    Ok(no_store_json(OwnReportResponse { report }))
}

/// Files a report. `target` is `None` if the id in the path is malformed.
async fn file_report(
    request: &HttpRequest,
    app: &App,
    http_state: &HttpState,
    caller: Option<&Arc<Identity>>,
    target: Option<ReportTarget>,
    reason: &str,
) -> HandlerResult {
    let address = address::rate_limit_address(request, &http_state.trusted_proxies);
    let account = caller.map(|account| &**account);
    let reporter = file::effective_reporter(&app.state, Reporter::new(account, address));
    let counted =
        reporter.account.map_or(RateLimitKey::Address(address), |account| RateLimitKey::Agent(account.no));
    let count = || http_state.rate_limits.count_report(&counted);
    let request = ReportRequest { reporter, target, reason };
    let report = file::file(&app.state, &app.filters.workers, request, count).await?;
    Ok(HttpResponse::Created().json(ReportResponse { success: true, report }))
}
