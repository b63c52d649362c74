//! `/api/canvas/heat`: the heatmap of the canvas.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use caraplace_canvas::heatmap::{HeatmapCache, HeatmapMetric, RenderedHeatmap};
use caraplace_companion::app::App;
use platform::content_coding::ContentCoding;

use super::canvas_params::canvas_response;
use super::season_params::{SEASON, find_requested_archive};
use crate::HandlerResult;
use crate::request::extract::MaybeAuth;
use crate::request::query::QueryParams;
use crate::request::query_param::{ChoiceParam, choice};
use crate::response::negotiate::{not_modified, preferred_coding, revalidated};
use crate::route::endpoint::Param;

const BY: ChoiceParam<HeatmapMetric> = choice(
    "by",
    &["painter", "age", "contested"],
    &[HeatmapMetric::Painter, HeatmapMetric::Age, HeatmapMetric::Contested],
    "the meaning of the numbers, {default} by default",
)
.with_default("painter");
/// The parameters of a heatmap.
pub const HEATMAP_PARAMS: &[Param] = &[BY.param, SEASON.param];

/// Returns the heatmap: one number for each pixel.
pub async fn heatmap(request: HttpRequest, app: Data<App>, _: MaybeAuth) -> HandlerResult {
    let params = QueryParams::from_request(&request)?;
    let by = BY.read(&params)?;
    let coding = preferred_coding(&request);
    if let Some(season) = find_requested_archive(&app, &params).await? {
        let body = app.archived_heatmaps.get(&app.state, &season, by, coding).await?;
        return Ok(heatmap_response(&request, &body, coding));
    }
    if let Some(response) = not_modified(&request, coding, || HeatmapCache::etag(&app.state, by, coding)) {
        return Ok(response);
    }
    let body = app.heatmaps.get(&app.state, by, coding).await?;
    Ok(heatmap_response(&request, &body, coding))
}

fn heatmap_response(request: &HttpRequest, body: &RenderedHeatmap, coding: ContentCoding) -> HttpResponse {
    revalidated(request, &body.etag, coding, |response| {
        canvas_response(response, body.version, "application/json", body.bytes.clone())
    })
}
