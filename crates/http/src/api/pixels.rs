//! `/api/pixel`, `/api/pixels` and `/api/pixel/story`: placing pixels, and reading what is known about them.

use actix_web::http::StatusCode;
use actix_web::web::{Bytes, Data};
use actix_web::{HttpRequest, HttpResponse};
use caraplace_canvas::dry_run::DryRunResponse;
use caraplace_canvas::paint;
use caraplace_canvas::placement_request::{PlacePixelBody, PlacePixelsBody};
use caraplace_canvas::placement_response::{PlacementResponse, RemainingQuota, has_stored_placements};
use caraplace_canvas::{Placement, pixel_info};
use caraplace_companion::app::App;
use caraplace_log::command::{Command, CommandOutcome};
use caraplace_talk::chat::story;
use chrono::{DateTime, TimeDelta, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use super::season_params::{SEASON, find_requested_archive};
use crate::HandlerResult;
use crate::request::authentication::record_rate_limit;
use crate::request::extract::{JsonBody, MaybeAuth, replayed_response};
use crate::request::query::QueryParams;
use crate::request::query_param::{NumberParam, limit, point};
use crate::request::rate_limit_headers::RateLimitState;
use crate::request::request_body::{ActionLimit, RequestBody};
use crate::response::negotiate::compressed_json;
use crate::response::no_store::no_store_json;
use crate::response::problem::Problem;
use crate::route::endpoint::Param;

/// The latest placements.
#[derive(Debug, Serialize, ToSchema)]
pub struct RecentPlacements {
    /// The placements, newest first.
    pub pixels: Vec<Placement>,
}

impl RequestBody for PlacePixelBody {
    const IDEMPOTENT_ROUTE: Option<&'static str> = Some("POST /api/pixel");
    const LIMIT: ActionLimit = ActionLimit::Charges;

    fn is_dry_run(&self) -> bool {
        self.dry_run
    }
}

impl RequestBody for PlacePixelsBody {
    const IDEMPOTENT_ROUTE: Option<&'static str> = Some("POST /api/pixels");
    const LIMIT: ActionLimit = ActionLimit::Charges;

    fn is_dry_run(&self) -> bool {
        self.dry_run
    }
}

const POINT: [Param; 2] = point("from the left", "from the top");
/// The parameters of a pixel.
pub const PIXEL_PARAMS: &[Param] = &[POINT[0].required(), POINT[1].required(), SEASON.param];
const RECENT_LIMIT: NumberParam = limit(500, 50);
/// The parameters of the latest placements.
pub const RECENT_PARAMS: &[Param] = &[RECENT_LIMIT.param];

/// Places one pixel.
///
/// # Errors
/// The refusals of [`paint::PlacePixel`], and malformed fields.
pub async fn place_one(
    request: HttpRequest,
    app: Data<App>,
    body: JsonBody<PlacePixelBody>,
) -> HandlerResult {
    if let Some(stored) = body.stored_json() {
        return Ok(replayed_placements(stored));
    }
    let fields = &body.fields;
    let caller = body.require_caller()?;
    let command = paint::prepare_pixel(&app.state, caller, fields).await?;
    if fields.dry_run {
        // Boxed, because dry runs are rare and every request would reserve the future's size.
        let response = Box::pin(command.preview(&app.state, caller)).await?;
        return Ok(respond_dry_run(&request, &app, response));
    }
    submit_placements(&request, &app, &body, command).await
}

/// Places several pixels: all of them, or those that do not conflict.
///
/// # Errors
/// The refusals of [`paint::PlacePixels`], and malformed fields.
pub async fn place_many(
    request: HttpRequest,
    app: Data<App>,
    body: JsonBody<PlacePixelsBody>,
) -> HandlerResult {
    if let Some(stored) = body.stored_json() {
        return Ok(replayed_placements(stored));
    }
    let fields = &body.fields;
    let caller = body.require_caller()?;
    let command = paint::prepare_pixels(&app.state, caller, fields).await?;
    if fields.dry_run {
        // Boxed, because dry runs are rare and every request would reserve the future's size.
        let response = Box::pin(command.preview(&app.state, caller)).await?;
        return Ok(respond_dry_run(&request, &app, response));
    }
    submit_placements(&request, &app, &body, command).await
}

/// Submits a placement command to the writer, and records the remaining charges for the rate limit headers.
async fn submit_placements<T, C: Command<Output: PlacementResponse>>(
    request: &HttpRequest,
    app: &App,
    body: &JsonBody<T>,
    command: C,
) -> HandlerResult {
    let outcome = body.submit_command(app, command).await;
    Ok(match outcome.inspect_err(|problem| record_exhausted(request, app, problem))? {
        CommandOutcome::Executed(response) => {
            record_remaining(request, app, response.remaining_quota());
            HttpResponse::build(success_status(response.has_placements())).json(response)
        }
        CommandOutcome::Replayed(json) => replayed_placements(json),
    })
}

/// Responds with what a placement would do, and records the charges for the rate limit headers.
fn respond_dry_run(request: &HttpRequest, app: &App, response: DryRunResponse) -> HttpResponse {
    record_charges(request, app, response.charges, response.next_charge_at);
    no_store_json(response)
}

/// Responds with a stored response and the status that it had.
fn replayed_placements(json: Bytes) -> HttpResponse {
    replayed_response(success_status(has_stored_placements(&json)), json)
}

fn success_status(has_placements: bool) -> StatusCode {
    if has_placements { StatusCode::CREATED } else { StatusCode::OK }
}

/// Returns a pixel and its latest placements.
///
/// # Errors
/// `out_of_bounds` for coordinates outside the canvas.
pub async fn pixel_info(request: HttpRequest, app: Data<App>, caller: MaybeAuth) -> HandlerResult {
    let params = QueryParams::from_request(&request)?;
    let caller = caller.0.as_deref();
    if let Some(season) = find_requested_archive(&app, &params).await? {
        let point = params.point(season.season.size)?;
        let newest = app.history.archived_placement(&app.archived_heatmaps, &season, point).await?;
        let info = pixel_info::find_archived_pixel(&app.state, point, newest, caller).await?;
        return Ok(HttpResponse::Ok().json(info));
    }
    let point = params.point(app.state.read_world(|world| world.season.size))?;
    Ok(HttpResponse::Ok().json(pixel_info::find_pixel(&app.state, point, caller).await?))
}

/// Returns the messages and intents about a pixel.
///
/// # Errors
/// `out_of_bounds` for coordinates outside the canvas.
pub async fn story(request: HttpRequest, app: Data<App>, caller: MaybeAuth) -> HandlerResult {
    let params = QueryParams::from_request(&request)?;
    let caller = caller.0.as_deref();
    if let Some(season) = find_requested_archive(&app, &params).await? {
        let point = params.point(season.season.size)?;
        let newest = app.history.archived_placement(&app.archived_heatmaps, &season, point).await?;
        let story = story::find_archived_story(&app.state, point, newest, &season, caller).await?;
        return Ok(HttpResponse::Ok().json(story));
    }
    let point = params.point(app.state.read_world(|world| world.season.size))?;
    Ok(HttpResponse::Ok().json(story::find_story(&app.state, point, caller).await?))
}

/// Returns the latest placements.
///
/// # Errors
/// `invalid_field` if the limit is out of range.
pub async fn recent(request: HttpRequest, app: Data<App>, _: MaybeAuth) -> HandlerResult {
    let limit = RECENT_LIMIT.read(&QueryParams::from_request(&request)?)?;
    let pixels = pixel_info::recent_placements(&app.state, limit).await?;
    // Compressed, because the canvas page requests a long list when it loads.
    Ok(compressed_json(&request, RecentPlacements { pixels }).await?)
}

fn record_remaining(request: &HttpRequest, app: &App, remaining: &RemainingQuota) {
    record_charges(request, app, remaining.charges, remaining.next_charge_at);
}

/// Records the available charges and the time of the next one.
fn record_charges(request: &HttpRequest, app: &App, charges: i64, next_at: Option<DateTime<Utc>>) {
    let wait = next_at.map_or(TimeDelta::zero(), |at| at - app.state.clock.now());
    record_rate_limit(request, RateLimitState::charges(&app.state.game(), Some((charges, wait))));
}

fn record_exhausted(request: &HttpRequest, app: &App, problem: &Problem) {
    if let Some(charges) = problem.number_field("charges") {
        let wait = TimeDelta::seconds(problem.retry_after_seconds());
        record_rate_limit(request, RateLimitState::charges(&app.state.game(), Some((charges, wait))));
    }
}
