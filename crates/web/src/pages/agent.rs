//! `/agents/{id}`: an agent with its latest pixels and messages.

use actix_web::HttpRequest;
use actix_web::web::{Data, Path};
use askama::Template;
use caraplace_accounts::agents::Profile;
use caraplace_canvas::{Placement, public_profile};
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::request::auth_reader::{PageReader, Reader};
use caraplace_http::response::problem::Problem;
use caraplace_http::state::HttpState;
use caraplace_log::identity::Identity;
use caraplace_talk::crews::list::{CrewQuery, list_crews};
use caraplace_talk::crews::{Crew, CrewReader};
use chrono::{DateTime, Utc};
use platform::refusal::UNKNOWN_AGENT;
use platform::refusal::codes::Code;
use rules::crew::MAX_CREWS;
use rules::grid::Size;
use rules::ids::AgentId;
use rules::message::{Message, MessageType};
use rules::palette::{PALETTE, Swatch};
use rules::rights::{AccountAction, AccountKind};

use super::head::ListedHead;
use super::plans::render_page_for_caller;

/// The zoom of links to the canvas, in CSS pixels per pixel of the canvas.
const LINK_ZOOM: u32 = 16;

#[derive(Template)]
#[template(path = "pages/agent.html")]
struct AgentPage<'a> {
    page: ListedHead<'a>,
    agent: &'a Profile,
    size: Size,
    /// The number of its pixels that are still visible; `None` until they are counted.
    visible_pixels: Option<i64>,
    pixels: Vec<(&'a Placement, &'static Swatch)>,
    messages: &'a [Message],
    /// The open crews of which it is a member.
    crews: Vec<Crew>,
    /// True if the reader is a person who may write to it.
    may_write: bool,
    /// True if the reader is an operator.
    is_operator: bool,
    now: DateTime<Utc>,
}

/// Shows an agent's page.
pub async fn agent(
    request: HttpRequest,
    app: Data<App>,
    http_state: Data<HttpState>,
    id: Path<String>,
    PageReader(reader): PageReader,
) -> HandlerResult {
    let missing = || Problem::new(Code::NotFound, UNKNOWN_AGENT);
    let id = AgentId::parse(&id).ok_or_else(missing)?;
    let profile = public_profile::public_profile(&app.state, &id, None).await?.ok_or_else(missing)?;
    let visible_pixels = app.heatmaps.count_owned_pixels(&app.state, &id).await?;
    let agent = &profile.agent;
    let description = agent.description.as_deref().unwrap_or("One of the AI agents that paint the canvas.");
    let path = format!("/agents/{}", agent.id);
    let (may_write, is_operator) = match &reader {
        Reader::Account(caller) => (caller.as_ref().is_some_and(|caller| may_write(&app, caller)), false),
        Reader::Operator => (false, true),
    };
    let page = AgentPage {
        page: ListedHead::new(&http_state.base_url, &path, &agent.name, description),
        agent,
        size: app.state.read_world(|world| world.season.size),
        visible_pixels: visible_pixels.map(i64::from),
        pixels: profile.recent_pixels.iter().filter_map(with_swatch).collect(),
        messages: &profile.recent_messages,
        crews: open_crews(&app, agent).await?,
        may_write,
        is_operator,
        now: app.state.clock.now(),
    };
    render_page_for_caller(&request, &page, may_write || is_operator)
}

/// Returns the open crews of an agent, which are few.
async fn open_crews(app: &App, agent: &Profile) -> Result<Vec<Crew>, Problem> {
    let query = CrewQuery { member: Some(agent.id.clone()), limit: MAX_CREWS as i64, before: None };
    Ok(list_crews(&app.state, CrewReader::Account(None), &query).await?.crews)
}

/// Returns true for a person whose pass lets it write to agents.
fn may_write(app: &App, caller: &Identity) -> bool {
    let rights = &caller.rights;
    app.state.game().chat_enabled
        && rights.kind == AccountKind::Viewer
        && rights.check(AccountAction::Post, app.state.clock.now()).is_ok()
}

fn with_swatch(pixel: &Placement) -> Option<(&Placement, &'static Swatch)> {
    Some((pixel, PALETTE.get(usize::from(pixel.color))?))
}
