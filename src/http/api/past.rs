//! The past: the canvas at a moment, pages of the log, and a season's course.

use std::sync::Arc;

use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};

use super::canvas_params::{scale, with_canvas};
use crate::app::App;
use crate::canvas::picture::{At, short};
use crate::coding::Coding;
use crate::concurrency::run_blocking;
use crate::http::Answer;
use crate::http::request::extract::Visitor;
use crate::http::request::query::{Params, invalid, still_to_come};
use crate::http::response::negotiate::{FRESH, coding, has, kept};
use crate::http::response::problem::Problem;
use crate::past::canvas::Canvas;
use crate::past::moment::Moment;

/// What was after an event stays as it was.
pub const FOR_EVER: &str = "public, max-age=31536000, immutable";
/// What was at a time does too, but for the last moments before now.
const SHORTLY: &str = "public, max-age=10";
/// A season's course goes on.
const COURSE: HeaderValue = HeaderValue::from_static("public, max-age=2");

const USUAL_PAGE: i64 = 5_000;
const LARGEST_PAGE: i64 = 10_000;
const USUAL_STEPS: i64 = 200;
const MOST_STEPS: i64 = 1_000;

/// What a canvas is sent as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Json,
    Bytes,
    Png,
}

/// The moment whose canvas is asked for, if it is not now.
///
/// # Errors
/// `invalid_field` when it is none.
pub fn asked(request: &HttpRequest) -> Result<Option<Moment>, Problem> {
    // Most look at now, and at nothing in particular.
    if request.query_string().is_empty() {
        return Ok(None);
    }
    Params::of(request)?.moment("at")
}

/// The newest event at a moment.
///
/// # Errors
/// `invalid_field` when it is still to come.
pub async fn newest_at(app: &App, name: &str, moment: Moment) -> Result<i64, Problem> {
    app.past.newest_at(moment).await?.ok_or_else(|| still_to_come(name))
}

/// The canvas as it was at a moment.
pub async fn canvas(request: &HttpRequest, app: &Data<App>, moment: Moment, shape: Shape) -> Answer {
    let seq = newest_at(app, "at", moment).await?;
    let kept_one = app.past.kept(seq);
    let season = match &kept_one {
        Some(canvas) => canvas.season.clone(),
        None => app.past.season(seq).await?,
    };
    let scale = if shape == Shape::Png { scale(request, season.size)? } else { 1 };
    let (canvas, turn) = match kept_one {
        Some(canvas) => (canvas, None),
        None => app.past.canvas(season, seq).await.map(|(canvas, turn)| (canvas, Some(turn)))?,
    };
    let coding = if shape == Shape::Png { Coding::Identity } else { coding(request) };
    let (etag, version) = (tag(&canvas, shape, scale, coding), canvas.version);
    let how_long = if moment.is_fixed() { FOR_EVER } else { SHORTLY };
    if has(request, &etag) {
        return Ok(kept(request, &etag, coding, how_long, |response| response.finish()));
    }
    let turn = match turn {
        Some(turn) => turn,
        None => app.past.drawing_turn().await?,
    };
    let body = run_blocking("drawing a past canvas", move || {
        let _turn = turn;
        draw(&canvas, shape, scale, coding)
    });
    let body = body.await?;
    Ok(kept(request, &etag, coding, how_long, |response| {
        with_canvas(response, version, shape.media_type(), body)
    }))
}

impl Shape {
    fn media_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Bytes => "application/octet-stream",
            Self::Png => "image/png",
        }
    }
}

fn tag(canvas: &Canvas, shape: Shape, scale: u16, coding: Coding) -> String {
    let (season, seq, version) = (short(&canvas.season.id), canvas.seq, canvas.version);
    match shape {
        Shape::Json => format!("\"{season}-{version}-at{seq}-{}\"", coding.name()),
        Shape::Bytes => format!("\"{season}-{version}-past-{}\"", coding.name()),
        Shape::Png => format!("\"{season}-{version}-past-png{scale}\""),
    }
}

fn draw(canvas: &Arc<Canvas>, shape: Shape, scale: u16, coding: Coding) -> std::io::Result<Vec<u8>> {
    match shape {
        Shape::Json => {
            let mut json = canvas.cutout().json();
            json.at = Some(At { seq: canvas.seq, time: canvas.at });
            coding.encode(serde_json::to_vec(&json)?)
        }
        Shape::Bytes => coding.encode(canvas.pixels.clone()),
        Shape::Png => canvas.cutout().png(scale).map_err(std::io::Error::other),
    }
}

/// The page of the log that is asked for.
pub struct Wanted {
    /// None for the live stream.
    pub from: Option<Moment>,
    to: Option<Moment>,
    limit: i64,
}

impl Wanted {
    /// As the parameters say.
    ///
    /// # Errors
    /// `invalid_field`.
    pub fn of(request: &HttpRequest) -> Result<Self, Problem> {
        let params = Params::of(request)?;
        let limit = params.within("limit", 1..=LARGEST_PAGE, USUAL_PAGE)?;
        Ok(Self { from: params.moment("from")?, to: params.moment("to")?, limit })
    }
}

/// A page of the log from one moment to another.
pub async fn events(request: &HttpRequest, app: &Data<App>, from: Moment, wanted: &Wanted) -> Answer {
    if let (Moment::Number(from), Some(Moment::Number(to))) = (from, wanted.to)
        && to < from
    {
        return Err(invalid("to", "must not be before from"));
    }
    let from = app.past.oldest_from(from).await?.ok_or_else(|| still_to_come("from"))?;
    let to = match wanted.to {
        Some(moment) => newest_at(app, "to", moment).await?,
        None => app.past.head(),
    };
    // Between two times there may be no event; the one after both is not before them.
    if to + 1 < from {
        return Err(invalid("to", "must not be before from"));
    }
    let (page, turn) = app.past.page(from, to, wanted.limit).await?;
    let coding = coding(request);
    let packed = run_blocking("writing a page of the log", move || {
        let _turn = turn;
        let plain = serde_json::to_vec(&page)?;
        let tag = blake3::hash(&plain).to_hex();
        std::io::Result::Ok((format!("\"{}-{}\"", &tag[..16], coding.name()), coding.encode(plain)?))
    });
    let (etag, body) = packed.await?;
    // What was said may be taken back.
    Ok(kept(request, &etag, coding, FRESH, |response| {
        response.insert_header((CONTENT_TYPE, HeaderValue::from_static("application/json"))).body(body)
    }))
}

/// The course of the season that is played.
pub async fn timeline(request: HttpRequest, app: Data<App>, _: Visitor) -> Answer {
    let steps = Params::of(&request)?.within("steps", 1..=MOST_STEPS, USUAL_STEPS)?;
    let timeline = app.past.timeline(steps as usize).await?;
    Ok(HttpResponse::Ok().insert_header((CACHE_CONTROL, COURSE)).json(timeline))
}
