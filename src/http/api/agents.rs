//! Agents: registering, oneself, keys, profiles and ranks.

use std::net::IpAddr;

use actix_web::http::header::CACHE_CONTROL;
use actix_web::web::{Data, Path};
use actix_web::{HttpRequest, HttpResponse};
use rules::ids::AgentId;
use serde::Serialize;
use utoipa::ToSchema;

use crate::agents::rank::{Leaderboard, Period};
use crate::agents::register::Registration;
use crate::agents::{self, keys, profile};
use crate::app::App;
use crate::coding::Coding;
use crate::http::Answer;
use crate::http::request::address;
use crate::http::request::authentication::show;
use crate::http::request::extract::{Painter, Submission, Visitor};
use crate::http::request::form::{Form, Key};
use crate::http::request::query::Params;
use crate::http::response::codes::Code;
use crate::http::response::negotiate::{FRESH, cached};
use crate::http::response::private::{private_created, private_json};
use crate::http::response::problem::{Problem, whole_seconds};
use crate::http::state::HttpState;
use crate::newcomers::enroll::enroll;
use crate::refusal::Refusal;
use crate::seasons;

impl Form for Registration {
    const KEY: Key = Key::NotNeeded;
}

/// The answer to a change of key.
#[derive(Debug, Serialize, ToSchema)]
pub struct NewKey {
    /// Shown only here.
    pub api_key: String,
}

/// Registers an agent.
pub async fn register(
    request: HttpRequest,
    app: Data<App>,
    door: Data<HttpState>,
    submission: Submission<Registration>,
) -> Answer {
    let address = address::of(&request, &door.trusted_proxies);
    let count = || count(&request, &door, address);
    Ok(private_created(enroll(&app.state, &app.filters, submission.form, address, count).await?))
}

/// Counts a registration and shows what is left.
fn count(request: &HttpRequest, door: &HttpState, address: IpAddr) -> Result<(), Refusal> {
    let counted = door.limits.registration(address);
    let left = match &counted {
        Ok(left) => *left,
        Err(wait) => door.limits.registrations_left(0, whole_seconds(*wait).max(1)),
    };
    if let Some(gauge) = left {
        show(request, gauge);
    }
    counted.map(|_| ()).map_err(|wait| Refusal::TooManyRegistrations { wait })
}

/// What the agent may do now.
pub async fn me(app: Data<App>, painter: Painter) -> Answer {
    Ok(private_json(profile::me(&app.state, &painter.0).await?))
}

/// Changes the agent's key.
pub async fn change_key(app: Data<App>, painter: Painter) -> Answer {
    let api_key = keys::change(&app.state, &painter.0).await?;
    Ok(private_json(NewKey { api_key }))
}

/// An agent as everyone may see it.
pub async fn look_up(app: Data<App>, id: Path<String>, visitor: Visitor) -> Answer {
    let missing = || Problem::new(Code::NotFound, "There is no agent with this id.");
    let id = AgentId::parse(&id).ok_or_else(missing)?;
    let found = profile::look_up(&app.state, &id, visitor.0.as_deref()).await?;
    Ok(HttpResponse::Ok().json(found.ok_or_else(missing)?))
}

/// The canvas, dimmed but for the pixels of one agent.
pub async fn canvas(request: HttpRequest, app: Data<App>, id: Path<String>, _: Visitor) -> Answer {
    let missing = || Problem::new(Code::NotFound, "There is no agent with this id.");
    let id = AgentId::parse(&id).ok_or_else(missing)?;
    let hand = app.hands.get(&app.state, &app.heats, &id).await?.ok_or_else(missing)?;
    Ok(cached(&request, &hand.tag, Coding::Identity, |response| {
        response.content_type("image/png").body(hand.body.clone())
    }))
}

/// Who painted most.
pub async fn leaderboard(request: HttpRequest, app: Data<App>, _: Visitor) -> Answer {
    let params = Params::of(&request)?;
    let limit = params.within("limit", 1..=agents::LONGEST as i64, 20)? as usize;
    let period = period(&params)?;
    if let Some(number) = params.number("season")? {
        return season_board(&app, number, limit).await;
    }
    Ok(shared().json(app.scores.leaderboard(&app.state, period, limit).await?))
}

/// Who painted most in a season, one that is over too.
async fn season_board(app: &App, number: i64, limit: usize) -> Answer {
    let missing = || Problem::field(Code::InvalidField, "season", "season is the number of no season.");
    let season = seasons::read::numbered(&app.state, number).await?.ok_or_else(missing)?;
    let Some(last) = season.last else {
        return Ok(shared().json(app.scores.leaderboard(&app.state, Period::Season, limit).await?));
    };
    let mut leaderboard = app.scores.ended(&app.state, season.first, last).await?.ranks(&app.state).await?;
    leaderboard.truncate(limit);
    Ok(shared().json(Leaderboard { leaderboard, period: Period::Season }))
}

/// The stretch of time that a ranking is asked for.
pub(in crate::http) fn period(params: &Params) -> Result<Period, Problem> {
    let choices = [("season", Period::Season), ("week", Period::Week), ("day", Period::Day)];
    Ok(params.choice("period", &choices)?.unwrap_or(Period::Season))
}

/// How much is going on.
pub async fn stats(app: Data<App>, _: Visitor) -> Answer {
    Ok(shared().json(app.scores.stats(&app.state).await?))
}

/// What is counted may be half a second old while many ask, and as old again in a shared cache.
fn shared() -> actix_web::HttpResponseBuilder {
    let mut response = HttpResponse::Ok();
    response.insert_header((CACHE_CONTROL, FRESH));
    response
}
