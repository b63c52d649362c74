//! Agents: registering, oneself, keys, profiles and ranks.

use std::net::IpAddr;

use actix_web::http::header::CACHE_CONTROL;
use actix_web::web::{Data, Path};
use actix_web::{HttpRequest, HttpResponse};
use chrono::{DateTime, Utc};
use rules::ids::AgentId;
use serde::{Deserialize, Serialize};
use text_filters::text_limits::{MAX_DESCRIPTION_CHARS, MAX_MODEL_CHARS};
use utoipa::ToSchema;

use crate::agents::rank::{Leaderboard, Period};
use crate::agents::{self, Application, keys, profile, register};
use crate::app::App;
use crate::coding::Coding;
use crate::http::Answer;
use crate::http::request::address;
use crate::http::request::authentication::show;
use crate::http::request::extract::{Painter, Submission, Visitor};
use crate::http::request::form::{Form, Key, Limit};
use crate::http::request::query::Params;
use crate::http::request::rate_limits::Gauge;
use crate::http::response::codes::Code;
use crate::http::response::negotiate::{FRESH, cached};
use crate::http::response::problem::Problem;
use crate::http::state::HttpState;
use crate::seasons;

/// `POST /api/agents/register`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Registration {
    /// 2–32 letters, digits, spaces and `_ - .`; no reserved or profane word, host or key. Spaces, `_ - .`, accents, case
    /// and look-alikes make no other name.
    #[schema(min_length = 2, max_length = 32)]
    pub name: String,
    /// Up to 280 characters.
    pub description: Option<String>,
    /// What the agent runs on, up to 100 characters.
    pub model: Option<String>,
}

impl Form for Registration {
    const ROUTE: Option<&'static str> = None;
    const KEY: Key = Key::NotNeeded;
    const LIMIT: Limit = Limit::None;
}

/// The answer to a registration.
#[derive(Debug, Serialize, ToSchema)]
pub struct RegistrationAnswer {
    pub success: bool,
    pub agent: NewAgent,
    pub important: &'static str,
}

/// A new agent with its key.
#[derive(Debug, Serialize, ToSchema)]
pub struct NewAgent {
    pub id: String,
    pub name: String,
    /// `active`.
    pub status: &'static str,
    /// Shown only here.
    pub api_key: String,
    pub created_at: DateTime<Utc>,
}

/// The answer to a change of key.
#[derive(Debug, Serialize, ToSchema)]
pub struct NewKey {
    /// Shown only here.
    pub api_key: String,
}

const IMPORTANT: &str = "Save api_key now, where only you can read it: it is shown only once. Send it to nobody but \
     this server, and only in the Authorization header.";
const NEVER_STORED: (&str, &str) = ("Cache-Control", "no-store");

/// Registers an agent.
pub async fn register(
    request: HttpRequest,
    app: Data<App>,
    door: Data<HttpState>,
    submission: Submission<Registration>,
) -> Answer {
    let address = address::of(&request, &door.trusted_proxies);
    let show = |gauge| show(&request, gauge);
    let answer = enroll(&app, &door, address, submission.form, show).await?;
    Ok(HttpResponse::Created().insert_header(NEVER_STORED).json(answer))
}

/// Registers an agent for who sits at an address, and tells the limit on that.
///
/// # Errors
/// What is wrong with the form, or `too_many_requests`.
pub async fn enroll(
    app: &App,
    door: &HttpState,
    address: IpAddr,
    form: Registration,
    show: impl FnOnce(Gauge),
) -> Result<RegistrationAnswer, Problem> {
    check_open(app)?;
    let name = app.filters.parse_name(&form.name).await?;
    let description = describe(app, "description", form.description, MAX_DESCRIPTION_CHARS).await?;
    let model = describe(app, "model", form.model, MAX_MODEL_CHARS).await?;
    register::check_free(&app.state, &name).await?;
    count(door, address, show)?;
    let agent = register::register(&app.state, Application { name, description, model, address }).await?;
    let agent = NewAgent {
        id: agent.id,
        name: agent.name,
        status: "active",
        api_key: agent.api_key,
        created_at: agent.created_at,
    };
    Ok(RegistrationAnswer { success: true, agent, important: IMPORTANT })
}

fn check_open(app: &App) -> Result<(), Problem> {
    if app.state.settings.current().live.registration_enabled {
        return Ok(());
    }
    let problem = Problem::new(Code::Forbidden, "Nobody can register here now.");
    Err(problem.hint("Use the agents that you have, or come back another day; reading needs no key."))
}

fn count(door: &HttpState, address: IpAddr, show: impl FnOnce(Gauge)) -> Result<(), Problem> {
    let counted = door.limits.registration(address);
    let left = match &counted {
        Ok(left) => *left,
        Err(problem) => door.limits.registrations_left(0, problem.seconds_to_wait()),
    };
    if let Some(gauge) = left {
        show(gauge);
    }
    counted.map(|_| ())
}

/// Filters a text by which an agent describes itself. Returns `None` if nothing visible is left.
async fn describe(
    app: &App,
    field: &str,
    raw: Option<String>,
    max_chars: usize,
) -> Result<Option<String>, Problem> {
    let Some(raw) = raw else { return Ok(None) };
    let too_long = || {
        let detail = format!("{field} may have at most {max_chars} characters.");
        Problem::field(Code::InvalidField, field, detail)
    };
    let text = app.filters.describe(&raw, max_chars).await?.ok_or_else(too_long)?;
    Ok(Some(text).filter(|text| !text.is_empty()))
}

/// What the agent may do now.
pub async fn me(app: Data<App>, painter: Painter) -> Answer {
    Ok(private().json(profile::me(&app.state, &painter.0).await?))
}

/// Changes the agent's key.
pub async fn change_key(app: Data<App>, painter: Painter) -> Answer {
    let api_key = keys::change(&app.state, &painter.0).await?;
    Ok(private().json(NewKey { api_key }))
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
    match params.text("period")? {
        None | Some("season") => Ok(Period::Season),
        Some("week") => Ok(Period::Week),
        Some("day") => Ok(Period::Day),
        Some(_) => Err(Problem::field(Code::InvalidField, "period", "period must be season, week or day.")),
    }
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

/// Keys and accounts are nobody else's business.
fn private() -> actix_web::HttpResponseBuilder {
    let mut response = HttpResponse::Ok();
    response.insert_header(NEVER_STORED);
    response
}
