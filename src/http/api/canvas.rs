//! `/api/canvas`: the canvas in its formats, each with an `ETag` that changes only with a pixel.

use actix_web::HttpRequest;
use actix_web::web::Data;
use rules::grid::Rect;
use rules::token_budget::TokenBudget;

use super::canvas_params::{canvas_response, scale};
use super::history::{self, CanvasFormat};
use crate::app::App;
use crate::canvas::canvas_cache::{CanvasCache, CanvasDataFormat};
use crate::canvas::formats::{CanvasRegion, short_season_id};
use crate::canvas::image_cache::{CanvasView, ImageCache};
use crate::canvas::region_summary;
use crate::concurrency::run_blocking;
use crate::content_coding::ContentCoding;
use crate::http::HandlerResult;
use crate::http::request::extract::MaybeAuth;
use crate::http::request::query::QueryParams;
use crate::http::response::negotiate::{not_modified, preferred_coding, revalidated};
use crate::http::response::problem::Problem;

const JSON: &str = "application/json";

/// Returns the whole canvas as JSON.
pub async fn json(request: HttpRequest, app: Data<App>, _: MaybeAuth) -> HandlerResult {
    if let Some(moment) = history::requested_point_in_time(&request)? {
        return history::canvas(&request, &app, moment, CanvasFormat::Json).await;
    }
    whole_canvas(&request, &app, CanvasDataFormat::Json, JSON, preferred_coding(&request)).await
}

/// Returns the whole canvas with one byte per pixel.
pub async fn bytes(request: HttpRequest, app: Data<App>, _: MaybeAuth) -> HandlerResult {
    if let Some(moment) = history::requested_point_in_time(&request)? {
        return history::canvas(&request, &app, moment, CanvasFormat::Bytes).await;
    }
    whole_canvas(
        &request,
        &app,
        CanvasDataFormat::Bytes,
        "application/octet-stream",
        preferred_coding(&request),
    )
    .await
}

/// Returns the whole canvas as a PNG.
pub async fn png(request: HttpRequest, app: Data<App>, _: MaybeAuth) -> HandlerResult {
    if let Some(moment) = history::requested_point_in_time(&request)? {
        return history::canvas(&request, &app, moment, CanvasFormat::Png).await;
    }
    let size = app.state.read_world(|world| world.season.size);
    png_response(&request, &app, CanvasView::Plain(scale(&request, size)?)).await
}

/// Returns a part of the canvas as JSON.
pub async fn region(request: HttpRequest, app: Data<App>, _: MaybeAuth) -> HandlerResult {
    let size = app.state.read_world(|world| world.season.size);
    let params = QueryParams::from_request(&request)?;
    let (rect, tokens) = (params.rect(size)?, params.max_tokens()?);
    let (version, season) = version_and_season(&app);
    let etag = || region_etag(&season, version, rect, tokens);
    if let Some(response) = not_modified(&request, ContentCoding::Identity, etag) {
        return Ok(response);
    }
    let region = encode_region(&app, rect, tokens).await?;
    let etag = region_etag(&region.season, region.version, rect, tokens);
    Ok(revalidated(&request, &etag, ContentCoding::Identity, |response| {
        canvas_response(response, region.version, JSON, region.json)
    }))
}

/// A part of the canvas as JSON.
struct EncodedRegion {
    season: String,
    version: i64,
    json: Vec<u8>,
}

/// Copies a region and encodes it on a blocking thread, so that it does not delay the HTTP workers.
async fn encode_region(app: &Data<App>, rect: Rect, tokens: Option<usize>) -> Result<EncodedRegion, Problem> {
    let state = app.state.clone();
    let encode = move || {
        let region = state.read_world(|world| CanvasRegion::from_world(world, rect));
        let json = match tokens {
            Some(tokens) => serde_json::to_vec(&region_summary::summarize_region(
                &region,
                TokenBudget::from_tokens(tokens),
            )),
            None => serde_json::to_vec(&region.to_json()),
        };
        json.map(|json| EncodedRegion { season: region.season().to_owned(), version: region.version(), json })
    };
    Ok(run_blocking("encoding a region", encode).await?)
}

/// Returns the canvas, or a part of it, as a PNG for vision models.
pub async fn visual(request: HttpRequest, app: Data<App>, _: MaybeAuth) -> HandlerResult {
    let size = app.state.read_world(|world| world.season.size);
    let rect = QueryParams::from_request(&request)?.rect_or_whole(size)?;
    png_response(&request, &app, CanvasView::Visual(rect)).await
}

async fn png_response(request: &HttpRequest, app: &App, view: CanvasView) -> HandlerResult {
    let etag = || app.state.read_world(|world| ImageCache::etag(&world.season.id, world.version, view));
    if let Some(response) = not_modified(request, ContentCoding::Identity, etag) {
        return Ok(response);
    }
    let picture = app.image_cache.newest(&app.state, view).await?;
    Ok(revalidated(request, &picture.etag, ContentCoding::Identity, |response| {
        canvas_response(response, picture.version, "image/png", picture.body.clone())
    }))
}

async fn whole_canvas(
    request: &HttpRequest,
    app: &Data<App>,
    format: CanvasDataFormat,
    media_type: &'static str,
    coding: ContentCoding,
) -> HandlerResult {
    let etag =
        || app.state.read_world(|world| CanvasCache::etag(&world.season.id, world.version, format, coding));
    if let Some(response) = not_modified(request, coding, etag) {
        return Ok(response);
    }
    let body = app.canvas_cache.get(&app.state, format, coding).await?;
    Ok(revalidated(request, &body.etag, coding, |response| {
        canvas_response(response, body.version, media_type, body.bytes.clone())
    }))
}

fn version_and_season(app: &App) -> (i64, String) {
    app.state.read_world(|world| (world.version, short_season_id(&world.season.id).to_owned()))
}

fn region_etag(season: &str, version: i64, rect: Rect, tokens: Option<usize>) -> String {
    let corners = rect.corners();
    let (season, span) = (short_season_id(season), [corners.x1, corners.y1, corners.x2, corners.y2]);
    let span = span.map(|side| side.to_string()).join(".");
    let tokens = tokens.map(|tokens| format!("-{tokens}")).unwrap_or_default();
    format!("\"{season}-{version}-region-{span}{tokens}\"")
}
