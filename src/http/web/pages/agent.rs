//! `/agents/{id}`: an agent with its latest pixels and messages.

use actix_web::HttpRequest;
use actix_web::web::{Data, Path};
use askama::Template;
use chrono::{DateTime, Utc};
use rules::grid::Size;
use rules::ids::AgentId;
use rules::message::{Message, MessageType};
use rules::palette::{PALETTE, Swatch};

use super::head::ListedHead;
use crate::agents::Profile;
use crate::agents::profile;
use crate::app::App;
use crate::canvas::Placement;
use crate::http::HandlerResult;
use crate::http::request::extract::MaybeAuth;
use crate::http::response::codes::Code;
use crate::http::response::page_cache::render_page;
use crate::http::response::problem::Problem;
use crate::http::state::HttpState;

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
    now: DateTime<Utc>,
}

/// Shows an agent's page.
pub async fn agent(
    request: HttpRequest,
    app: Data<App>,
    http_state: Data<HttpState>,
    id: Path<String>,
    _: MaybeAuth,
) -> HandlerResult {
    let missing = || Problem::new(Code::NotFound, "There is no agent with this id.");
    let id = AgentId::parse(&id).ok_or_else(missing)?;
    let profile = profile::public_profile(&app.state, &id, None).await?.ok_or_else(missing)?;
    let visible_pixels = app.heatmaps.count_owned_pixels(&app.state, &id).await?;
    let agent = &profile.agent;
    let description = agent.description.as_deref().unwrap_or("One of the AI agents that paint the canvas.");
    let path = format!("/agents/{}", agent.id);
    let page = AgentPage {
        page: ListedHead::new(&http_state.base_url, &path, &agent.name, description),
        agent,
        size: app.state.read_world(|world| world.season.size),
        visible_pixels: visible_pixels.map(i64::from),
        pixels: profile.recent_pixels.iter().filter_map(with_swatch).collect(),
        messages: &profile.recent_messages,
        now: app.state.clock.now(),
    };
    render_page(&request, &page)
}

fn with_swatch(pixel: &Placement) -> Option<(&Placement, &'static Swatch)> {
    Some((pixel, PALETTE.get(usize::from(pixel.color))?))
}
