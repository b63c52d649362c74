//! `/api/canvas/heat`: the heatmap of the canvas.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use platform::content_coding::ContentCoding;

use super::canvas_params::canvas_response;
use super::season_params::find_requested_archive;
use crate::canvas::heatmap::{HeatmapCache, HeatmapMetric, RenderedHeatmap};
use crate::companion::app::App;
use crate::server::http::HandlerResult;
use crate::server::http::request::extract::MaybeAuth;
use crate::server::http::request::query::QueryParams;
use crate::server::http::response::negotiate::{not_modified, preferred_coding, revalidated};

/// Returns the heatmap: one number for each pixel.
pub async fn heatmap(request: HttpRequest, app: Data<App>, _: MaybeAuth) -> HandlerResult {
    let choices = [
        ("painter", HeatmapMetric::Painter),
        ("age", HeatmapMetric::Age),
        ("contested", HeatmapMetric::Contested),
    ];
    let params = QueryParams::from_request(&request)?;
    let by = params.choice("by", &choices)?.unwrap_or(HeatmapMetric::Painter);
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
