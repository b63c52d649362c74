//! `/api/admin/rollbacks`: starts, previews, lists and undoes rollbacks.

use actix_web::web::{Data, Path};
use actix_web::{HttpRequest, HttpResponse};
use rules::grid::Corners;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::reason_body::ReasonBody;
use crate::app::App;
use crate::concurrency::run_blocking;
use crate::http::HandlerResult;
use crate::http::api::canvas_params::scale;
use crate::http::request::auth_operator::AdminBody;
use crate::http::request::query;
use crate::http::request::query::QueryParams;
use crate::http::response::no_store::{no_store, no_store_created, no_store_json};
use crate::http::response::not_found::rollback_not_found;
use crate::http::response::problem::Problem;
use crate::input;
use crate::input::strict_json;
use crate::moderation::AuditReason;
use crate::moderation::rollback::request::{RollbackRequest, build_filter};
use crate::moderation::rollback::simulation::{RollbackSimulation, simulate_rollback};
use crate::moderation::rollback::{self, ReasonClass, Rollback};
use crate::refusal::Refusal;
use crate::schema::CornersSchema;

/// The largest and the default number of rollbacks in a list.
const MAX_LIMIT: i64 = 200;
const DEFAULT_LIMIT: i64 = 50;

/// `POST /api/admin/rollbacks`: `agent_id`, `region` or both select the pixels.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RollbackBody {
    /// The agent whose pixels are rolled back; every agent in the region by default.
    pub agent_id: Option<String>,
    /// The region, corners included; the whole canvas by default.
    #[serde(default, deserialize_with = "strict_json::optional")]
    #[schema(value_type = Option<CornersSchema>)]
    pub region: Option<Corners>,
    /// The start: an event's number, or a time.
    pub from: String,
    /// The end: an event's number, or a time; now by default.
    pub to: Option<String>,
    /// The reason for the audit log.
    #[schema(min_length = 1)]
    #[serde(alias = "why")]
    pub reason: String,
    /// The class of the reason, which the chat tells everyone; `other` by default.
    #[serde(default)]
    pub reason_class: ReasonClass,
}

/// The latest rollbacks, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct RollbackList {
    pub rollbacks: Vec<Rollback>,
}

/// The effect that a rollback would have.
#[derive(Debug, Serialize, ToSchema)]
pub struct RollbackPreviewCounts {
    /// The number of placements that would be removed.
    pub placements: usize,
    /// The number of pixels that would change.
    pub pixels: usize,
}

/// Lists the latest rollbacks.
pub async fn list(request: HttpRequest, app: Data<App>) -> HandlerResult {
    let limit =
        QueryParams::from_request(&request)?.number_in_range("limit", 1..=MAX_LIMIT, DEFAULT_LIMIT)?;
    let rollbacks = rollback::list(&app.state, limit).await?;
    Ok(no_store_json(RollbackList { rollbacks }))
}

/// Returns a rollback with its progress.
pub async fn find(app: Data<App>, id: Path<String>) -> HandlerResult {
    Ok(no_store_json(rollback::find(&app.state, &id).await?.ok_or_else(rollback_not_found)?))
}

/// Returns how much a rollback would change.
pub async fn preview_counts(request: HttpRequest, app: Data<App>) -> HandlerResult {
    let RollbackSimulation { placements, pixels, .. } = requested_preview(&request, &app).await?;
    Ok(no_store_json(RollbackPreviewCounts { placements, pixels }))
}

/// Returns the canvas after a rollback, as a PNG preview.
pub async fn preview_png(request: HttpRequest, app: Data<App>) -> HandlerResult {
    let scale = scale(&request, app.state.read_world(|world| world.season.size))?;
    let after = requested_preview(&request, &app).await?.after;
    let png = run_blocking("rendering a rollback", move || after.encode_png(scale)).await?;
    Ok(no_store(HttpResponse::Ok()).content_type("image/png").body(png))
}

/// Starts a rollback.
pub async fn begin(app: Data<App>, body: AdminBody<RollbackBody>) -> HandlerResult {
    let AdminBody { operator, fields } = body;
    let RollbackBody { agent_id, region, from, to, reason, reason_class } = fields;
    let size = app.state.read_world(|world| world.season.size);
    let request = RollbackRequest {
        agent_id,
        region: region.map(|corners| input::rect(size, corners)).transpose().map_err(Refusal::from)?,
        from: query::parse_point_in_time("from", &from)?,
        to: to.as_deref().map(|to| query::parse_point_in_time("to", to)).transpose()?,
    };
    let audit_reason = AuditReason::new(&operator.name, &reason)?;
    let filter = build_filter(&app.state, &app.history, &request).await?;
    let started = rollback::begin(&app.state, &filter, &audit_reason, reason_class).await?;
    Ok(no_store_created(started))
}

/// Undoes a rollback.
pub async fn undo(app: Data<App>, body: AdminBody<ReasonBody>, id: Path<String>) -> HandlerResult {
    let audit_reason = AuditReason::new(&body.operator.name, &body.fields.reason)?;
    Ok(no_store_json(rollback::undo(&app.state, &id, &audit_reason).await?.ok_or_else(rollback_not_found)?))
}

async fn requested_preview(request: &HttpRequest, app: &App) -> Result<RollbackSimulation, Problem> {
    let request = QueryParams::from_request(request)?
        .rollback_request(app.state.read_world(|world| world.season.size))?;
    Ok(simulate_rollback(&app.state, &build_filter(&app.state, &app.history, &request).await?).await?)
}
