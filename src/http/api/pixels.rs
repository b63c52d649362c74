//! Pixels: placing them, and who placed those that are there.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use chrono::TimeDelta;
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::canvas::paint::{self, Left, NewPixel, NewPixels};
use crate::canvas::{Placement, look};
use crate::chat::proof;
use crate::http::Answer;
use crate::http::request::authentication::show;
use crate::http::request::extract::{Submission, Visitor, created};
use crate::http::request::form::{Form, Limit};
use crate::http::request::query::Params;
use crate::http::request::rate_limits::Gauge;
use crate::http::response::negotiate::packed;
use crate::http::response::problem::Problem;
use crate::log::deed::{Deed, Outcome};
use crate::refusal::internal;

/// The newest placements.
#[derive(Debug, Serialize, ToSchema)]
pub struct RecentPixels {
    /// Newest first.
    pub pixels: Vec<Placement>,
}

impl Form for NewPixel {
    const ROUTE: Option<&'static str> = Some("POST /api/pixel");
    const LIMIT: Limit = Limit::Charges;
}

impl Form for NewPixels {
    const ROUTE: Option<&'static str> = Some("POST /api/pixels");
    const LIMIT: Limit = Limit::Charges;
}

const RECENT: i64 = 50;
const MOST_RECENT: i64 = 500;

/// Places one pixel.
///
/// # Errors
/// Refuses what [`paint::PaintOne`] refuses, and malformed fields.
pub async fn place_one(request: HttpRequest, app: Data<App>, submission: Submission<NewPixel>) -> Answer {
    if let Some(answer) = submission.replay() {
        return Ok(answer);
    }
    let form = &submission.form;
    let proof = proof::check(&app.state, submission.agent()?, form.chat_digest.as_deref());
    let painting = paint::draft_one(&app.state, form, proof).await?;
    place(&request, &app, &submission, painting, |painted| &painted.left).await
}

/// Places several pixels, or none.
///
/// # Errors
/// Refuses what [`paint::PaintMany`] refuses, and malformed fields.
pub async fn place_many(request: HttpRequest, app: Data<App>, submission: Submission<NewPixels>) -> Answer {
    if let Some(answer) = submission.replay() {
        return Ok(answer);
    }
    let form = &submission.form;
    let proof = proof::check(&app.state, submission.agent()?, form.chat_digest.as_deref());
    let painting = paint::draft_many(&app.state, form, proof).await?;
    place(&request, &app, &submission, painting, |painted| &painted.left).await
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
///
/// # Errors
/// Refuses coordinates outside the canvas.
pub async fn look(request: HttpRequest, app: Data<App>, _: Visitor) -> Answer {
    let size = app.state.snapshot(|world| world.season.size);
    let point = Params::of(&request)?.point(size)?;
    Ok(HttpResponse::Ok().json(look::spot(&app.state, point).await?))
}

/// The newest placements.
///
/// # Errors
/// Refuses a limit out of range.
pub async fn recent(request: HttpRequest, app: Data<App>, _: Visitor) -> Answer {
    let limit = Params::of(&request)?.within("limit", 1..=MOST_RECENT, RECENT)?;
    let pixels = look::recent(&app.state, limit).await?;
    // The page asks for as many as a screen can tell of, at its first view.
    Ok(packed(&request, &RecentPixels { pixels }).map_err(internal("compressing placements"))?)
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
