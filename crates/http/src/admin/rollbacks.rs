//! `/api/admin/rollbacks`: previews and lists rollbacks.

use actix_web::web::{Data, Path};
use actix_web::{HttpRequest, HttpResponse};
use caraplace_companion::app::App;
use caraplace_moderation::actions::subject::rollback_not_found;
use caraplace_moderation::rollback::request::{RollbackRequest, build_filter};
use caraplace_moderation::rollback::simulation::{PainterLoss, RollbackSimulation, simulate_rollback};
use caraplace_moderation::rollback::{self, Rollback};
use platform::concurrency::run_blocking;
use rules::grid::Size;
use serde::Serialize;
use utoipa::ToSchema;

use crate::HandlerResult;
use crate::api::canvas_params::{SCALE, scale};
use crate::request::query::QueryParams;
use crate::request::query_param::{
    NumberParam, PointInTimeParam, TextParam, corners, limit, point_in_time, text,
};
use crate::response::no_store::{no_store, no_store_json};
use crate::response::problem::Problem;
use crate::route::endpoint::Param;

const LIMIT: NumberParam = limit(200, 50);
/// The parameters of a list of rollbacks.
pub const LIST_PARAMS: &[Param] = &[LIMIT.param];

const AGENT_ID: TextParam =
    text("agent_id", "the agent whose pixels are rolled back; every agent by default");
const REPORT_ID: TextParam =
    text("report_id", "a report of pixels: says agent_id, region and from as far as they are not given");
const CORNERS: [Param; 4] = corners("left, inclusive; without all four coordinates, the whole canvas");
const FROM: PointInTimeParam =
    point_in_time("from", "start: an event's number, or a time; required without report_id");
const TO: PointInTimeParam = point_in_time("to", "end: an event's number, or a time; now by default");
/// The parameters of the image of a rollback.
pub const PREVIEW_PNG_PARAMS: &[Param] = &[
    AGENT_ID.param,
    REPORT_ID.param,
    CORNERS[0],
    CORNERS[1],
    CORNERS[2],
    CORNERS[3],
    FROM.param,
    TO.param,
    SCALE.param.with_help("image pixels per pixel"),
];
/// The parameters of a rollback: those of its image, without the scale.
pub const PREVIEW_PARAMS: &[Param] = PREVIEW_PNG_PARAMS.split_at(PREVIEW_PNG_PARAMS.len() - 1).0;

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
    /// The agents that would lose placements, the one with the most pixels first.
    pub painters: Vec<PainterLoss>,
}

/// Lists the latest rollbacks.
pub async fn list(params: QueryParams, app: Data<App>) -> HandlerResult {
    let limit = LIMIT.read(&params)?;
    let rollbacks = rollback::list(&app.state, limit).await?;
    Ok(no_store_json(RollbackList { rollbacks }))
}

/// Returns a rollback with its progress.
pub async fn find(app: Data<App>, id: Path<String>) -> HandlerResult {
    Ok(no_store_json(rollback::find(&app.state, &id).await?.ok_or_else(rollback_not_found)?))
}

/// Returns how much a rollback would change.
pub async fn preview_counts(request: HttpRequest, app: Data<App>) -> HandlerResult {
    let RollbackSimulation { placements, pixels, painters, .. } = requested_preview(&request, &app).await?;
    Ok(no_store_json(RollbackPreviewCounts { placements, pixels, painters }))
}

/// Returns the canvas after a rollback, as a PNG preview.
pub async fn preview_png(request: HttpRequest, app: Data<App>) -> HandlerResult {
    let scale = scale(&request, app.state.read_world(|world| world.season.size))?;
    let after = requested_preview(&request, &app).await?.after;
    let png = run_blocking("rendering a rollback", move || after.encode_png(scale)).await?;
    Ok(no_store(HttpResponse::Ok()).content_type("image/png").body(png))
}

async fn requested_preview(request: &HttpRequest, app: &App) -> Result<RollbackSimulation, Problem> {
    let size = app.state.read_world(|world| world.season.size);
    let request = rollback_request(&QueryParams::from_request(request)?, size)?;
    Ok(simulate_rollback(&app.state, &build_filter(&app.state, &app.history, &request).await?).await?)
}

/// Parses the selection of a rollback, on a canvas of this size.
///
/// # Errors
/// `missing_field`, `invalid_field` or `out_of_bounds`.
pub fn rollback_request(params: &QueryParams, size: Size) -> Result<RollbackRequest, Problem> {
    Ok(RollbackRequest {
        agent_id: AGENT_ID.read(params)?.map(str::to_owned),
        region: params.has_any_corner().then(|| params.rect(size)).transpose()?,
        report_id: REPORT_ID.read(params)?.map(str::to_owned),
        from: FROM.read(params)?,
        to: TO.read(params)?,
    })
}
