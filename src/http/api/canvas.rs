//! The canvas in its forms, each with a tag that changes only when a pixel does.

use actix_web::HttpRequest;
use actix_web::web::Data;
use rules::grid::Rect;
use rules::token_budget::TokenBudget;

use super::canvas_params::{scale, with_canvas};
use super::past::{self, Shape};
use crate::app::App;
use crate::canvas::bodies::{Bodies, Form};
use crate::canvas::fitted;
use crate::canvas::picture::{Cutout, short};
use crate::canvas::pictures::{Pictures, View};
use crate::coding::Coding;
use crate::concurrency::run_blocking;
use crate::http::Answer;
use crate::http::request::extract::Visitor;
use crate::http::request::query::Params;
use crate::http::response::negotiate::{cached, coding, not_modified};
use crate::http::response::problem::Problem;

const JSON: &str = "application/json";

/// The whole canvas as JSON.
pub async fn json(request: HttpRequest, app: Data<App>, _: Visitor) -> Answer {
    if let Some(moment) = past::asked(&request)? {
        return past::canvas(&request, &app, moment, Shape::Json).await;
    }
    whole(&request, &app, Form::Json, JSON, coding(&request)).await
}

/// The whole canvas, one byte per pixel.
pub async fn bytes(request: HttpRequest, app: Data<App>, _: Visitor) -> Answer {
    if let Some(moment) = past::asked(&request)? {
        return past::canvas(&request, &app, moment, Shape::Bytes).await;
    }
    whole(&request, &app, Form::Bytes, "application/octet-stream", coding(&request)).await
}

/// The whole canvas as a PNG.
pub async fn png(request: HttpRequest, app: Data<App>, _: Visitor) -> Answer {
    if let Some(moment) = past::asked(&request)? {
        return past::canvas(&request, &app, moment, Shape::Png).await;
    }
    let size = app.state.snapshot(|world| world.season.size);
    picture(&request, &app, View::Plain(scale(&request, size)?)).await
}

/// A part of the canvas as JSON.
pub async fn region(request: HttpRequest, app: Data<App>, _: Visitor) -> Answer {
    let size = app.state.snapshot(|world| world.season.size);
    let params = Params::of(&request)?;
    let (rect, tokens) = (params.rect(size)?, params.max_tokens()?);
    let (version, season) = now(&app);
    let tag = || part_tag(&season, version, rect, tokens);
    if let Some(known) = not_modified(&request, Coding::Identity, tag) {
        return Ok(known);
    }
    let part = part(&app, rect, tokens).await?;
    let etag = part_tag(&part.season, part.version, rect, tokens);
    Ok(cached(&request, &etag, Coding::Identity, |response| {
        with_canvas(response, part.version, JSON, part.json)
    }))
}

/// A part of the canvas as it goes out.
struct Written {
    season: String,
    version: i64,
    json: Vec<u8>,
}

/// Cutting and writing take time that the workers must not lose.
async fn part(app: &Data<App>, rect: Rect, tokens: Option<usize>) -> Result<Written, Problem> {
    let state = app.state.clone();
    let write = move || {
        let cutout = state.snapshot(|world| Cutout::of(world, rect));
        let json = match tokens {
            Some(tokens) => serde_json::to_vec(&fitted::fit(&cutout, TokenBudget::from_tokens(tokens))),
            None => serde_json::to_vec(&cutout.json()),
        };
        json.map(|json| Written { season: cutout.season().to_owned(), version: cutout.version(), json })
    };
    Ok(run_blocking("writing a region", write).await?)
}

/// A picture of the canvas, or of a part of it, for vision models.
pub async fn visual(request: HttpRequest, app: Data<App>, _: Visitor) -> Answer {
    let size = app.state.snapshot(|world| world.season.size);
    let rect = Params::of(&request)?.rect_or_whole(size)?;
    picture(&request, &app, View::Visual(rect)).await
}

async fn picture(request: &HttpRequest, app: &App, view: View) -> Answer {
    let tag = || app.state.snapshot(|world| Pictures::tag(&world.season.id, world.version, view));
    if let Some(known) = not_modified(request, Coding::Identity, tag) {
        return Ok(known);
    }
    let picture = app.pictures.newest(&app.state, view).await?;
    Ok(cached(request, &picture.tag, Coding::Identity, |response| {
        with_canvas(response, picture.version, "image/png", picture.body.clone())
    }))
}

async fn whole(
    request: &HttpRequest,
    app: &Data<App>,
    form: Form,
    media_type: &'static str,
    coding: Coding,
) -> Answer {
    let tag = || app.state.snapshot(|world| Bodies::tag(&world.season.id, world.version, form, coding));
    if let Some(known) = not_modified(request, coding, tag) {
        return Ok(known);
    }
    let body = app.bodies.get(&app.state, form, coding).await?;
    Ok(cached(request, &body.tag, coding, |response| {
        with_canvas(response, body.version, media_type, body.bytes.clone())
    }))
}

fn now(app: &App) -> (i64, String) {
    app.state.snapshot(|world| (world.version, short(&world.season.id).to_owned()))
}

fn part_tag(season: &str, version: i64, rect: Rect, tokens: Option<usize>) -> String {
    let corners = rect.corners();
    let (season, span) = (short(season), [corners.x1, corners.y1, corners.x2, corners.y2]);
    let span = span.map(|side| side.to_string()).join(".");
    let tokens = tokens.map(|tokens| format!("-{tokens}")).unwrap_or_default();
    format!("\"{season}-{version}-region-{span}{tokens}\"")
}
