//! `/api/canvas`: the canvas in its formats, each with an `ETag` that changes only with a pixel.

use actix_web::web::{self, Data};
use actix_web::{HttpRequest, Route};
use caraplace_canvas::canvas_cache::{CanvasCache, CanvasDataFormat};
use caraplace_canvas::formats::{CanvasRegion, short_season_id};
use caraplace_canvas::image_cache::{CanvasView, ImageCache};
use caraplace_canvas::render_threads;
use caraplace_companion::app::App;
use platform::content_coding::ContentCoding;
use rules::numbers::Seq;

use super::canvas_params::{self, RegionQuery, canvas_response, scale, wants_palette};
use super::history::{self, CanvasFormat};
use crate::HandlerResult;
use crate::request::extract::MaybeAuth;
use crate::response::negotiate::{not_modified, preferred_coding, revalidated};
use crate::response::problem::Problem;

const JSON: &str = "application/json";

/// Returns the route with the handler of the canvas in a format: as it is, or as it was at a point in time.
pub fn serve(format: CanvasFormat) -> Route {
    web::to(move |request: HttpRequest, app: Data<App>, caller: MaybeAuth| async move {
        match history::requested_point_in_time(&request)? {
            Some(moment) => history::canvas(&request, &app, &caller, moment, format).await,
            None => current_canvas(&request, &app, format).await,
        }
    })
}

async fn current_canvas(request: &HttpRequest, app: &Data<App>, format: CanvasFormat) -> HandlerResult {
    let size = || app.state.read_world(|world| world.season.size);
    match format {
        CanvasFormat::Json if wants_palette(request)? => {
            whole_canvas(request, app, CanvasDataFormat::Json, JSON).await
        }
        CanvasFormat::Json => whole_canvas(request, app, CanvasDataFormat::JsonWithoutPalette, JSON).await,
        CanvasFormat::Bytes => {
            whole_canvas(request, app, CanvasDataFormat::Bytes, "application/octet-stream").await
        }
        CanvasFormat::Png => png_response(request, app, CanvasView::Plain(scale(request, size())?)).await,
        CanvasFormat::Region => region(request, app, RegionQuery::from_request(request, size())?).await,
        CanvasFormat::Visual => {
            let (rect, grid) = canvas_params::visual(request, size())?;
            png_response(request, app, CanvasView::Visual(rect, grid)).await
        }
    }
}

/// Responds with a part of the canvas.
async fn region(request: &HttpRequest, app: &Data<App>, query: RegionQuery) -> HandlerResult {
    let (version, season) = version_and_season(app);
    let etag = || region_etag(&season, version, &query);
    if let Some(response) = not_modified(request, ContentCoding::Identity, etag) {
        return Ok(response);
    }
    let region = encode_region(app, query).await?;
    let etag = region_etag(&region.season, region.version, &query);
    Ok(revalidated(request, &etag, ContentCoding::Identity, |response| {
        canvas_response(response, region.version, JSON, region.json)
    }))
}

/// A part of the canvas as JSON.
struct EncodedRegion {
    season: String,
    version: Seq,
    json: Vec<u8>,
}

/// Copies a region and encodes it on a thread for rendering, so that it does not delay the HTTP workers.
async fn encode_region(app: &Data<App>, query: RegionQuery) -> Result<EncodedRegion, Problem> {
    let state = app.state.clone();
    let encode = move || {
        let region = state.read_world(|world| CanvasRegion::from_world(world, query.rect));
        let season = region.season().to_owned();
        let version = region.version();
        query.encode(&region).map(|json| EncodedRegion { season, version, json })
    };
    Ok(render_threads::render("encoding a region", encode).await?)
}

/// Responds with the canvas, or a part of it, as a PNG.
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
) -> HandlerResult {
    let coding = preferred_coding(request);
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

fn version_and_season(app: &App) -> (Seq, String) {
    app.state.read_world(|world| (world.version, short_season_id(&world.season.id).to_owned()))
}

fn region_etag(season: &str, version: Seq, query: &RegionQuery) -> String {
    format!("\"{}-{version}-{}\"", short_season_id(season), query.etag_part())
}
