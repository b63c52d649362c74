//! Pixels: placing them, and who placed those that are there.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use chrono::TimeDelta;
use rules::grid::Size;
use rules::palette::Color;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::App;
use crate::canvas::paint::{Dab, Left, PaintMany, PaintOne};
use crate::canvas::{Placement, look};
use crate::chat::proof;
use crate::http::Answer;
use crate::http::request::authentication::show;
use crate::http::request::extract::{Submission, Visitor, created};
use crate::http::request::form::{Form, Key, Limit};
use crate::http::request::query;
use crate::http::request::query::Params;
use crate::http::request::rate_limits::Gauge;
use crate::http::request::strict_json;
use crate::http::response::codes::Code;
use crate::http::response::negotiate::packed;
use crate::http::response::problem::Problem;
use crate::log::deed::{Deed, Outcome};
use crate::log::roster::Agent;
use crate::refusal::internal;

/// `POST /api/pixel`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewPixel {
    pub x: i64,
    pub y: i64,
    /// Index into the palette.
    pub color: i64,
    /// From `GET /api/chat`; not needed while the chat is switched off.
    pub chat_digest: Option<String>,
    /// The colour that must still be there.
    pub expected_color: Option<i64>,
}

/// `POST /api/pixels`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewPixels {
    /// All of them are placed, or none.
    #[serde(deserialize_with = "strict_json::several")]
    pub pixels: Vec<OneOfMany>,
    /// From `GET /api/chat`; not needed while the chat is switched off.
    pub chat_digest: Option<String>,
}

/// One of several pixels.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OneOfMany {
    pub x: i64,
    pub y: i64,
    /// Index into the palette.
    pub color: i64,
    /// The colour that must still be there.
    pub expected_color: Option<i64>,
}

/// The newest placements.
#[derive(Debug, Serialize, ToSchema)]
pub struct RecentPixels {
    /// Newest first.
    pub pixels: Vec<Placement>,
}

impl Form for NewPixel {
    const ROUTE: Option<&'static str> = Some("POST /api/pixel");
    const KEY: Key = Key::Needed;
    const LIMIT: Limit = Limit::Charges;
}

impl Form for NewPixels {
    const ROUTE: Option<&'static str> = Some("POST /api/pixels");
    const KEY: Key = Key::Needed;
    const LIMIT: Limit = Limit::Charges;
}

const RECENT: i64 = 50;
const MOST_RECENT: i64 = 500;

/// Places one pixel.
pub async fn place_one(request: HttpRequest, app: Data<App>, submission: Submission<NewPixel>) -> Answer {
    if let Some(answer) = submission.replay() {
        return Ok(answer);
    }
    let form = &submission.form;
    let size = app.state.snapshot(|world| world.season.size);
    let dab = dab(size, (form.x, form.y), form.color, form.expected_color)?;
    check_digest(&app, submission.agent()?, form.chat_digest.as_deref()).await?;
    place(&request, &app, &submission, PaintOne(dab), |painted| &painted.left).await
}

/// Places several pixels, or none.
pub async fn place_many(request: HttpRequest, app: Data<App>, submission: Submission<NewPixels>) -> Answer {
    if let Some(answer) = submission.replay() {
        return Ok(answer);
    }
    let form = &submission.form;
    let dabs = dabs(&app, &form.pixels)?;
    check_digest(&app, submission.agent()?, form.chat_digest.as_deref()).await?;
    place(&request, &app, &submission, PaintMany(dabs), |painted| &painted.left).await
}

/// Brings it through the gate, and tells what is left either way.
async fn place<F, D: Deed>(
    request: &HttpRequest,
    app: &App,
    submission: &Submission<F>,
    deed: D,
    left: fn(&D::Done) -> &Left,
) -> Answer {
    let outcome = submission.perform(app, deed).await;
    let outcome = outcome.inspect_err(|problem| show_empty(request, app, problem))?;
    if let Outcome::Fresh(painted) = &outcome {
        show_left(request, app, left(painted));
    }
    created(outcome)
}

/// A spot on the canvas and its last owners.
pub async fn look(request: HttpRequest, app: Data<App>, _: Visitor) -> Answer {
    let size = app.state.snapshot(|world| world.season.size);
    let point = Params::of(&request)?.point(size)?;
    Ok(HttpResponse::Ok().json(look::spot(&app.state, point).await?))
}

/// The newest placements.
pub async fn recent(request: HttpRequest, app: Data<App>, _: Visitor) -> Answer {
    let limit = Params::of(&request)?.within("limit", 1..=MOST_RECENT, RECENT)?;
    let pixels = look::recent(&app.state, limit).await?;
    // The page asks for as many as a screen can tell of, at its first view.
    Ok(packed(&request, &RecentPixels { pixels }).map_err(internal("compressing placements"))?)
}

/// Pixels on this canvas, in this palette, and not too many.
///
/// # Errors
/// `invalid_field`, `out_of_bounds` or `invalid_color`.
pub fn dabs(app: &App, pixels: &[OneOfMany]) -> Result<Vec<Dab>, Problem> {
    let most = app.state.game().max_batch();
    if !(1..=most).contains(&pixels.len()) {
        let detail = format!("pixels has {} entries; 1 to {most} are allowed.", pixels.len());
        return Err(Problem::field(Code::InvalidField, "pixels", detail));
    }
    let size = app.state.snapshot(|world| world.season.size);
    let one = |(position, pixel): (usize, &OneOfMany)| {
        let dab = dab(size, (pixel.x, pixel.y), pixel.color, pixel.expected_color);
        dab.map_err(|problem| problem.with("index", position))
    };
    pixels.iter().enumerate().map(one).collect()
}

fn dab(size: Size, (x, y): (i64, i64), index: i64, expected: Option<i64>) -> Result<Dab, Problem> {
    let point = size.point(x, y).ok_or_else(|| query::out_of_bounds(size, &format!("({x}, {y})")))?;
    let expected = expected.map(|index| color("expected_color", index)).transpose()?;
    Ok(Dab { point, color: color("color", index)?, expected })
}

/// A colour of the palette.
///
/// # Errors
/// `invalid_color`.
pub fn color(field: &str, index: i64) -> Result<Color, Problem> {
    let detail = || format!("{index} is not a colour of the palette, which has the indices 0 to 15.");
    Color::new(index).ok_or_else(|| Problem::field(Code::InvalidColor, field, detail()))
}

/// Passes who shows a digest of the chat, if there is one.
///
/// # Errors
/// `digest_missing`, `digest_invalid` or `digest_stale`; or that the database cannot be read.
pub async fn check_digest(app: &App, caller: &Agent, shown: Option<&str>) -> Result<(), Problem> {
    if !app.state.game().chat_enabled {
        return Ok(());
    }
    let missing = || Problem::field(Code::DigestMissing, "chat_digest", "chat_digest is missing.");
    Ok(proof::check(&app.state, caller, shown.ok_or_else(missing)?).await?)
}

fn show_left(request: &HttpRequest, app: &App, left: &Left) {
    let wait = left.next_charge_at.map_or(TimeDelta::zero(), |at| at - app.state.clock.now());
    show(request, Gauge::charges(&app.state.game(), Some((left.charges, wait))));
}

fn show_empty(request: &HttpRequest, app: &App, problem: &Problem) {
    if let Some(charges) = problem.number("charges") {
        let wait = TimeDelta::seconds(problem.seconds_to_wait());
        show(request, Gauge::charges(&app.state.game(), Some((charges, wait))));
    }
}
