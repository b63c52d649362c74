//! History: the canvas at a point in time, pages of the event log, and the timeline of a season.

use std::io;

use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use caraplace_canvas::formats::{RegionOptions, format_span, short_season_id};
use caraplace_canvas::history::canvas::HistoricalCanvas;
use caraplace_canvas::history::point_in_time::PointInTime;
use caraplace_canvas::visual;
use caraplace_canvas::visual_grid::Grid;
use caraplace_companion::app::App;
use caraplace_log::identity::Identity;
use platform::concurrency::run_blocking;
use platform::content_coding::ContentCoding;
use rules::grid::{Rect, Size};
use rules::numbers::Seq;

use super::canvas_params::{self, AT, RegionQuery, canvas_response, scale, wants_palette};
use super::season_params::{SEASON, find_requested_archive};
use crate::HandlerResult;
use crate::request::extract::MaybeAuth;
use crate::request::query::{QueryParams, in_future, invalid};
use crate::request::query_param::{NumberParam, PointInTimeParam, number, point_in_time};
use crate::request::work_account::work_caller;
use crate::response::negotiate::{
    PRIVATE_CACHE_CONTROL, REVALIDATE_CACHE_CONTROL, cacheable, if_none_match, preferred_coding,
};
use crate::response::problem::Problem;
use crate::route::endpoint::{Param, ParamKind};
use crate::route::params::header;

/// The `Cache-Control` of the canvas after an event, which never changes.
pub const IMMUTABLE_CACHE_CONTROL: &str = "public, max-age=31536000, immutable";
/// The `Cache-Control` of the canvas at a time: events of the last moments may still be committed.
const RECENT_CACHE_CONTROL: &str = "public, max-age=10";
/// The `Cache-Control` of the timeline, which grows.
const TIMELINE_CACHE_CONTROL: HeaderValue = HeaderValue::from_static("public, max-age=2");

/// The point after which a stream resumes.
pub const SINCE: PointInTimeParam = point_in_time(
    "since",
    "resumes the stream after this event's number or this time, which are not included",
);
const FROM: PointInTimeParam =
    point_in_time("from", "returns past events instead of the stream, from this event number or time");
const TO: PointInTimeParam =
    point_in_time("to", "the last event number or time; the newest event by default");
const EVENTS_LIMIT: NumberParam =
    number("limit", 1..=10_000, "how many events at a time, {default} by default").with_default(5_000);
/// The parameters of events, past and present.
pub const EVENTS_PARAMS: &[Param] = &[
    SINCE.param,
    FROM.param,
    TO.param,
    EVENTS_LIMIT.param,
    header(
        "Last-Event-ID",
        ParamKind::Pattern("^0*[0-9]{0,18}$"),
        "like since, as the stream sent it; browsers send it when they reconnect",
    ),
];

const STEPS: NumberParam =
    number("steps", 1..=1_000, "how many steps, {default} by default").with_default(200);
/// The parameters of the timeline.
pub const TIMELINE_PARAMS: &[Param] = &[STEPS.param, SEASON.param];

/// The format of a past canvas in a response. Its parameters depend on the size of the canvas, so they are
/// parsed when its season is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CanvasFormat {
    Json,
    Bytes,
    Png,
    /// A region as JSON.
    Region,
    /// A picture for vision models.
    Visual,
}

/// The format of a past canvas with its parameters.
#[derive(Clone, Copy, Debug)]
enum PastView {
    Json(RegionOptions),
    Bytes,
    /// The number of image pixels per pixel.
    Png(u16),
    Region(RegionQuery),
    Visual(Rect, Grid),
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
    AT.read(&QueryParams::from_request(request)?)
}

/// Returns the number of the newest event at a point in time.
///
/// # Errors
/// `invalid_field` if it is in the future.
pub async fn newest_event_at(app: &App, name: &str, point_in_time: PointInTime) -> Result<Seq, Problem> {
    app.history.last_event_at(point_in_time).await?.ok_or_else(|| in_future(name))
}

/// Returns the canvas at a point in time.
pub async fn canvas(
    request: &HttpRequest,
    app: &Data<App>,
    caller: &MaybeAuth,
    point_in_time: PointInTime,
    format: CanvasFormat,
) -> HandlerResult {
    let caller = work_caller(request, caller.0.as_deref())?;
    let seq = newest_event_at(app, AT.param.name, point_in_time).await?;
    let cached = app.history.cached_canvas(seq);
    let season = match &cached {
        Some(canvas) => canvas.season.clone(),
        None => app.history.season_at(seq).await?,
    };
    let view = PastView::from_request(request, format, season.size)?;
    let (canvas, permit) = match cached {
        Some(canvas) => (canvas, None),
        None => app
            .history
            .read_canvas(&caller, season, seq)
            .await
            .map(|(canvas, permit)| (canvas, Some(permit)))?,
    };
    let coding = if view.is_compressed() { preferred_coding(request) } else { ContentCoding::Identity };
    let etag = view.etag(&canvas, coding);
    let version = canvas.version;
    let cache_control =
        if point_in_time.is_immutable() { IMMUTABLE_CACHE_CONTROL } else { RECENT_CACHE_CONTROL };
    if if_none_match(request, &etag) {
        return Ok(cacheable(request, &etag, coding, cache_control, |response| response.finish()));
    }
    let permit = match permit {
        Some(permit) => permit,
        None => app.history.acquire_render_permit(&caller).await?,
    };
    let body = run_blocking("rendering a past canvas", move || {
        let _permit = permit;
        view.encode(&canvas, coding)
    });
    let body = body.await?;
    Ok(cacheable(request, &etag, coding, cache_control, |response| {
        canvas_response(response, version, view.media_type(), body)
    }))
}

impl PastView {
    fn from_request(request: &HttpRequest, format: CanvasFormat, size: Size) -> Result<Self, Problem> {
        Ok(match format {
            CanvasFormat::Json => {
                Self::Json(RegionOptions { palette: wants_palette(request)?, ..RegionOptions::default() })
            }
            CanvasFormat::Bytes => Self::Bytes,
            CanvasFormat::Png => Self::Png(scale(request, size)?),
            CanvasFormat::Region => Self::Region(RegionQuery::from_request(request, size)?),
            CanvasFormat::Visual => {
                let (rect, grid) = canvas_params::visual(request, size)?;
                Self::Visual(rect, grid)
            }
        })
    }

    fn media_type(&self) -> &'static str {
        match self {
            Self::Json(_) | Self::Region(_) => "application/json",
            Self::Bytes => "application/octet-stream",
            Self::Png(_) | Self::Visual(..) => "image/png",
        }
    }

    /// Returns true if the body is compressed for clients that accept it. A region is small, and images are
    /// compressed already.
    fn is_compressed(&self) -> bool {
        matches!(self, Self::Json(_) | Self::Bytes)
    }

    /// Returns the entity tag. JSON shows the point in time, so its tag has that, too.
    fn etag(&self, canvas: &HistoricalCanvas, coding: ContentCoding) -> String {
        let season = short_season_id(&canvas.season.id);
        let seq = canvas.seq;
        let version = canvas.version;
        let coding = coding.name();
        match self {
            Self::Json(RegionOptions { palette: true, .. }) => {
                format!("\"{season}-{version}-at{seq}-{coding}\"")
            }
            Self::Json(_) => format!("\"{season}-{version}-at{seq}-rows-{coding}\""),
            Self::Bytes => format!("\"{season}-{version}-past-{coding}\""),
            Self::Png(scale) => format!("\"{season}-{version}-past-png{scale}\""),
            Self::Region(query) => format!("\"{season}-{version}-at{seq}-{}\"", query.etag_part()),
            Self::Visual(rect, grid) => {
                format!("\"{season}-{version}-past-visual-{}-{}\"", format_span(*rect), grid.name())
            }
        }
    }

    fn encode(&self, canvas: &HistoricalCanvas, coding: ContentCoding) -> io::Result<Vec<u8>> {
        let whole = || canvas.to_region(canvas.season.size.full_rect());
        match self {
            Self::Json(options) => coding.encode(serde_json::to_vec(&whole().to_json(*options))?),
            Self::Bytes => coding.encode(canvas.pixels.clone()),
            Self::Png(scale) => whole().encode_png(*scale).map_err(io::Error::other),
            Self::Region(query) => Ok(query.encode(&canvas.to_region(query.rect))?),
            Self::Visual(rect, grid) => {
                visual::render_png(&canvas.to_region(*rect), *grid).map_err(io::Error::other)
            }
        }
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
        let limit = EVENTS_LIMIT.read(&params)?;
        Ok(Self { from: FROM.read(&params)?, to: TO.read(&params)?, limit })
    }
}

/// Returns a page of the event log between two points in time.
pub async fn events(
    request: &HttpRequest,
    app: &Data<App>,
    from: PointInTime,
    query: &EventRangeQuery,
    caller: Option<&Identity>,
) -> HandlerResult {
    if let (PointInTime::Seq(from), Some(PointInTime::Seq(to))) = (from, query.to)
        && to < from
    {
        return Err(invalid(TO.param.name, "must not be before from"));
    }
    let from = app.history.first_event_from(from).await?.ok_or_else(|| in_future(FROM.param.name))?;
    let to = match query.to {
        Some(point_in_time) => newest_event_at(app, TO.param.name, point_in_time).await?,
        None => app.history.head(),
    };
    // There may be no event between two times; then `from` is the event right after `to`, which is no error.
    if to.next() < from {
        return Err(invalid(TO.param.name, "must not be before from"));
    }
    let work_caller = work_caller(request, caller)?;
    let (page, permit) = app.history.read_events(&work_caller, from, to, query.limit, caller).await?;
    let coding = preferred_coding(request);
    let encoded = run_blocking("encoding a page of the event log", move || {
        let _permit = permit;
        let json = serde_json::to_vec(&page)?;
        let tag = blake3::hash(&json).to_hex();
        io::Result::Ok((format!("\"{}-{}\"", &tag[..16], coding.name()), coding.encode(json)?))
    });
    let (etag, body) = encoded.await?;
    // Messages can be hidden later, so caches must revalidate.
    let cache_control = if caller.is_some() { PRIVATE_CACHE_CONTROL } else { REVALIDATE_CACHE_CONTROL };
    Ok(cacheable(request, &etag, coding, cache_control, |response| {
        response.insert_header((CONTENT_TYPE, HeaderValue::from_static("application/json"))).body(body)
    }))
}

/// Returns the timeline of a season, the current one by default.
pub async fn timeline(request: HttpRequest, app: Data<App>, caller: MaybeAuth) -> HandlerResult {
    let caller = work_caller(&request, caller.0.as_deref())?;
    let params = QueryParams::from_request(&request)?;
    let steps = STEPS.read(&params)? as usize;
    let timeline = match find_requested_archive(&app, &params).await? {
        Some(season) => app.history.archived_timeline(&caller, &app.archived_heatmaps, season, steps).await?,
        None => app.history.timeline(&caller, &app.heatmaps, steps).await?,
    };
    Ok(HttpResponse::Ok().insert_header((CACHE_CONTROL, TIMELINE_CACHE_CONTROL)).json(timeline))
}
