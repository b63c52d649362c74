//! Reports: somebody finds something not decent, and says so to those who run the place.

use std::sync::Arc;

use actix_web::web::{Data, Path};
use actix_web::{HttpRequest, HttpResponse};
use rules::grid::Corners;
use rules::ids::{AccountId, MessageId};
use rules::rights::{AccountAction, Denied};
use serde::{Deserialize, Serialize};
use text_filters::text_limits::{MAX_REASON_CHARS, check_raw_length};
use utoipa::ToSchema;

use crate::app::App;
use crate::http::Answer;
use crate::http::request::extract::{ChatOpen, Submission};
use crate::http::request::form::{Form, Key, Whose};
use crate::http::request::rate_limits::Counted;
use crate::http::request::{address, query};
use crate::http::response::codes::Code;
use crate::http::response::problem::Problem;
use crate::http::state::HttpState;
use crate::input;
use crate::log::roster::Agent;
use crate::moderation;
use crate::moderation::reports::{self, Filed, Reporter, Target};
use crate::moderation::sanctions;
use crate::text_workers::TextWork;

/// The longest side of a rectangle that is reported.
const LONGEST_SIDE: i64 = 64;

/// `POST /api/chat/{id}/report`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MessageReport {
    /// What is wrong with it, in up to 500 characters.
    #[schema(min_length = 1)]
    pub reason: String,
}

/// `POST /api/agents/{id}/report`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NameReport {
    /// What is wrong with the name, in up to 500 characters.
    #[schema(min_length = 1)]
    pub reason: String,
}

/// `POST /api/canvas/report`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CanvasReport {
    /// Inclusive, as are the others; at most 64 pixels wide and high.
    pub x1: i64,
    pub y1: i64,
    pub x2: i64,
    pub y2: i64,
    /// What is wrong with what is there, in up to 500 characters.
    #[schema(min_length = 1)]
    pub reason: String,
}

/// The answer to a report.
#[derive(Debug, Serialize, ToSchema)]
pub struct Reported {
    pub success: bool,
}

impl Form for MessageReport {
    const KEY: Key = Key::NotNeeded;
    const WHOSE: Whose = Whose::Both;
}

impl Form for NameReport {
    const KEY: Key = Key::NotNeeded;
    const WHOSE: Whose = Whose::Both;
}

impl Form for CanvasReport {
    const KEY: Key = Key::NotNeeded;
    const WHOSE: Whose = Whose::Both;
}

/// A message is not decent.
pub async fn message(
    request: HttpRequest,
    app: Data<App>,
    door: Data<HttpState>,
    id: Path<String>,
    _: ChatOpen,
    submission: Submission<MessageReport>,
) -> Answer {
    let target = MessageId::parse(&id).map(Target::Message);
    file(&request, &app, &door, submission.caller(), target, &submission.form.reason).await
}

/// A name, or what its holder says of itself, is not decent.
pub async fn name(
    request: HttpRequest,
    app: Data<App>,
    door: Data<HttpState>,
    id: Path<String>,
    submission: Submission<NameReport>,
) -> Answer {
    let target = AccountId::parse(&id).map(Target::Name);
    file(&request, &app, &door, submission.caller(), target, &submission.form.reason).await
}

/// What was painted somewhere is not decent.
pub async fn canvas(
    request: HttpRequest,
    app: Data<App>,
    door: Data<HttpState>,
    submission: Submission<CanvasReport>,
) -> Answer {
    let CanvasReport { x1, y1, x2, y2, ref reason } = submission.form;
    let corners = Corners { x1, y1, x2, y2 };
    let rect = input::rect(app.state.snapshot(|world| world.season.size), corners)?;
    if x2 - x1 >= LONGEST_SIDE || y2 - y1 >= LONGEST_SIDE {
        return Err(query::invalid("x2", "and y2 must leave at most 64 pixels on each side"));
    }
    file(&request, &app, &door, submission.caller(), Some(Target::Canvas(rect)), reason).await
}

/// Files a report. `target` is `None` if the address names nothing that could exist.
async fn file(
    request: &HttpRequest,
    app: &App,
    door: &HttpState,
    caller: Option<&Arc<Agent>>,
    target: Option<Target>,
    reason: &str,
) -> Answer {
    let reason = parse_reason(app, reason).await?;
    let address = address::of(request, &door.trusted_proxies);
    let now = app.state.clock.now();
    let has_lapsed =
        |agent: &Agent| matches!(agent.rights.check(AccountAction::Report, now), Err(Denied::NoPass { .. }));
    // An account whose pass has lapsed reports as a visitor without a key does.
    let agent = caller.map(|agent| &**agent).filter(|agent| !has_lapsed(agent));
    if let Some(agent) = agent {
        sanctions::check(&app.state, agent, AccountAction::Report).await?;
    }
    let target = target.ok_or_else(nothing)?;
    let counted = agent.map_or(Counted::Address(address), |agent| Counted::Agent(agent.no));
    door.limits.report(&counted)?;
    match reports::file(&app.state, Reporter { agent, address }, &target, &reason).await? {
        Filed::Taken => Ok(HttpResponse::Created().json(Reported { success: true })),
        Filed::Already => {
            Err(Problem::new(Code::AlreadyReported, "You have reported this before; nobody has forgotten."))
        }
        Filed::Nothing => Err(nothing()),
    }
}

fn nothing() -> Problem {
    Problem::new(Code::NotFound, "There is nothing of that name to report.")
}

async fn parse_reason(app: &App, raw: &str) -> Result<String, Problem> {
    let invalid = || {
        let what = format!("must have 1 to {MAX_REASON_CHARS} characters that can be seen");
        query::invalid("reason", &what)
    };
    check_raw_length(raw).ok().ok_or_else(invalid)?;
    let text = raw.to_owned();
    let clean = move || moderation::reason(&text);
    app.filters.workers.run(TextWork::Clean, raw.len(), clean).await?.ok_or_else(invalid)
}
