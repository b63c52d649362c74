//! History: the canvas at a point in time, pages of the event log, and the timeline of a season.

use std::sync::Arc;

use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};

use super::canvas_params::{canvas_response, scale};
use crate::app::App;
use crate::canvas::formats::{LogPosition, short_season_id};
use crate::concurrency::run_blocking;
use crate::content_coding::ContentCoding;
use crate::history::canvas::HistoricalCanvas;
use crate::history::point_in_time::PointInTime;
use crate::http::HandlerResult;
use crate::http::request::extract::MaybeAuth;
use crate::http::request::query::{QueryParams, in_future, invalid};
use crate::http::response::negotiate::{
    REVALIDATE_CACHE_CONTROL, cacheable, if_none_match, preferred_coding,
};
use crate::http::response::problem::Problem;

/// The `Cache-Control` of the canvas after an event, which never changes.
pub const IMMUTABLE_CACHE_CONTROL: &str = "public, max-age=31536000, immutable";
/// The `Cache-Control` of the canvas at a time: events of the last moments may still be committed.
const RECENT_CACHE_CONTROL: &str = "public, max-age=10";
/// The `Cache-Control` of the timeline, which grows.
const TIMELINE_CACHE_CONTROL: HeaderValue = HeaderValue::from_static("public, max-age=2");

const DEFAULT_PAGE_EVENTS: i64 = 5_000;
const MAX_PAGE_EVENTS: i64 = 10_000;
const DEFAULT_STEPS: i64 = 200;
const MAX_STEPS: i64 = 1_000;

/// The format of a canvas in a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CanvasFormat {
    Json,
    Bytes,
    Png,
}

/// Parses the point in time in `at`; `None` for the current canvas.
///
/// # Errors
/// `invalid_field` if it is not a number or a time.
pub fn requested_point_in_time(request: &HttpRequest) -> Result<Option<PointInTime>, Problem> {
    // Most requests have no query.
    if request.query_string().is_empty() {
        return Ok(None);
    }
    QueryParams::from_request(request)?.point_in_time("at")
}

/// Returns the number of the newest event at a point in time.
///
/// # Errors
/// `invalid_field` if it is in the future.
pub async fn newest_event_at(app: &App, name: &str, point_in_time: PointInTime) -> Result<i64, Problem> {
    app.history.last_event_at(point_in_time).await?.ok_or_else(|| in_future(name))
}

/// Returns the canvas at a point in time.
pub async fn canvas(
    request: &HttpRequest,
    app: &Data<App>,
    point_in_time: PointInTime,
    format: CanvasFormat,
) -> HandlerResult {
    let seq = newest_event_at(app, "at", point_in_time).await?;
    let cached = app.history.cached_canvas(seq);
    let season = match &cached {
        Some(canvas) => canvas.season.clone(),
        None => app.history.season_at(seq).await?,
    };
    let scale = if format == CanvasFormat::Png { scale(request, season.size)? } else { 1 };
    let (canvas, permit) = match cached {
        Some(canvas) => (canvas, None),
        None => app.history.read_canvas(season, seq).await.map(|(canvas, permit)| (canvas, Some(permit)))?,
    };
    let coding =
        if format == CanvasFormat::Png { ContentCoding::Identity } else { preferred_coding(request) };
    let (etag, version) = (etag(&canvas, format, scale, coding), canvas.version);
    let cache_control =
        if point_in_time.is_immutable() { IMMUTABLE_CACHE_CONTROL } else { RECENT_CACHE_CONTROL };
    if if_none_match(request, &etag) {
        return Ok(cacheable(request, &etag, coding, cache_control, |response| response.finish()));
    }
    let permit = match permit {
        Some(permit) => permit,
        None => app.history.acquire_render_permit().await?,
    };
    let body = run_blocking("rendering a past canvas", move || {
        let _permit = permit;
        encode(&canvas, format, scale, coding)
    });
    let body = body.await?;
    Ok(cacheable(request, &etag, coding, cache_control, |response| {
        canvas_response(response, version, format.media_type(), body)
    }))
}

impl CanvasFormat {
    fn media_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Bytes => "application/octet-stream",
            Self::Png => "image/png",
        }
    }
}

fn etag(canvas: &HistoricalCanvas, format: CanvasFormat, scale: u16, coding: ContentCoding) -> String {
    let (season, seq, version) = (short_season_id(&canvas.season.id), canvas.seq, canvas.version);
    match format {
        CanvasFormat::Json => format!("\"{season}-{version}-at{seq}-{}\"", coding.name()),
        CanvasFormat::Bytes => format!("\"{season}-{version}-past-{}\"", coding.name()),
        CanvasFormat::Png => format!("\"{season}-{version}-past-png{scale}\""),
    }
}

fn encode(
    canvas: &Arc<HistoricalCanvas>,
    format: CanvasFormat,
    scale: u16,
    coding: ContentCoding,
) -> std::io::Result<Vec<u8>> {
    match format {
        CanvasFormat::Json => {
            let mut json = canvas.to_region().to_json();
            json.at = Some(LogPosition { seq: canvas.seq, time: canvas.at });
            coding.encode(serde_json::to_vec(&json)?)
        }
        CanvasFormat::Bytes => coding.encode(canvas.pixels.clone()),
        CanvasFormat::Png => canvas.to_region().encode_png(scale).map_err(std::io::Error::other),
    }
}

/// The parameters of a page of the event log.
pub struct EventRangeQuery {
    /// The start; `None` if the live stream is requested.
    pub from: Option<PointInTime>,
    to: Option<PointInTime>,
    limit: i64,
}

impl EventRangeQuery {
    /// Parses the query.
    ///
    /// # Errors
    /// `invalid_field` if a parameter has an invalid value.
    pub fn from_request(request: &HttpRequest) -> Result<Self, Problem> {
        let params = QueryParams::from_request(request)?;
        let limit = params.number_in_range("limit", 1..=MAX_PAGE_EVENTS, DEFAULT_PAGE_EVENTS)?;
        Ok(Self { from: params.point_in_time("from")?, to: params.point_in_time("to")?, limit })
    }
}

/// Returns a page of the event log between two points in time.
pub async fn events(
    request: &HttpRequest,
    app: &Data<App>,
    from: PointInTime,
    query: &EventRangeQuery,
) -> HandlerResult {
    if let (PointInTime::Seq(from), Some(PointInTime::Seq(to))) = (from, query.to)
        && to < from
    {
        return Err(invalid("to", "must not be before from"));
    }
    let from = app.history.first_event_from(from).await?.ok_or_else(|| in_future("from"))?;
    let to = match query.to {
        Some(point_in_time) => newest_event_at(app, "to", point_in_time).await?,
        None => app.history.head(),
    };
    // There may be no event between two times; then `from` is the event right after `to`, which is no error.
    if to + 1 < from {
        return Err(invalid("to", "must not be before from"));
    }
    let (page, permit) = app.history.read_events(from, to, query.limit).await?;
    let coding = preferred_coding(request);
    let encoded = run_blocking("encoding a page of the event log", move || {
        let _permit = permit;
        let json = serde_json::to_vec(&page)?;
        let tag = blake3::hash(&json).to_hex();
        std::io::Result::Ok((format!("\"{}-{}\"", &tag[..16], coding.name()), coding.encode(json)?))
    });
    let (etag, body) = encoded.await?;
    // Messages can be hidden later, so caches must revalidate.
    Ok(cacheable(request, &etag, coding, REVALIDATE_CACHE_CONTROL, |response| {
        response.insert_header((CONTENT_TYPE, HeaderValue::from_static("application/json"))).body(body)
    }))
}

/// Returns the timeline of the current season.
pub async fn timeline(request: HttpRequest, app: Data<App>, _: MaybeAuth) -> HandlerResult {
    let steps =
        QueryParams::from_request(&request)?.number_in_range("steps", 1..=MAX_STEPS, DEFAULT_STEPS)?;
    let timeline = app.history.timeline(steps as usize).await?;
    Ok(HttpResponse::Ok().insert_header((CACHE_CONTROL, TIMELINE_CACHE_CONTROL)).json(timeline))
}
