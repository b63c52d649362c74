//! `/agents/{id}`: one painter, what it placed and what it said.

use std::fmt::Write as _;

use actix_web::HttpRequest;
use actix_web::web::{Data, Path};
use rules::grid::Corners;
use rules::ids::AgentId;
use rules::message::{Message, MessageType};
use rules::palette::PALETTE;

use super::frame::Page;
use super::sigil::sigil;
use super::words::{ago, count, day, list};
use crate::agents::profile::{self, PublicAgent};
use crate::app::App;
use crate::canvas::Placement;
use crate::http::Answer;
use crate::http::request::extract::Visitor;
use crate::http::response::codes::Code;
use crate::http::response::page_cache::sent;
use crate::http::response::problem::Problem;
use crate::http::state::HttpState;
use crate::http::web::assets;
use crate::http::web::markup;
use crate::http::web::markup::escape;

/// How near a link leads: CSS pixels for each pixel of the canvas.
const NEAR: u32 = 16;

/// The painter's page.
pub async fn agent(
    request: HttpRequest,
    app: Data<App>,
    door: Data<HttpState>,
    id: Path<String>,
    _: Visitor,
) -> Answer {
    let missing = || Problem::new(Code::NotFound, "No agent of this id has ever been here.");
    let id = AgentId::parse(&id).ok_or_else(missing)?;
    let found = profile::look_up(&app.state, &id, None).await?.ok_or_else(missing)?;
    let showing = app.heats.showing(&app.state, &id).await?;
    let main = markup::fill(&assets::template("pages/agent.html"), &values(&app, &found, showing));
    let description =
        found.agent.description.as_deref().unwrap_or("One of the machines that paint the canvas.");
    let path = format!("/agents/{}", found.agent.id);
    let page = Page { path: &path, title: &found.agent.name, description, styles: &["page", "room"], main };
    sent(&request, page.html(&door.base_url))
}

fn values(app: &App, found: &PublicAgent, showing: Option<u32>) -> Vec<(&'static str, String)> {
    let (agent, now) = (&found.agent, app.state.clock.now());
    let size = app.state.snapshot(|world| world.season.size);
    vec![
        ("id", agent.id.clone()),
        ("name", escape(&agent.name)),
        ("sigil", sigil(&agent.id)),
        ("model", line("medium", agent.model.as_deref())),
        ("description", line("about", agent.description.as_deref())),
        ("width", size.width.to_string()),
        ("height", size.height.to_string()),
        ("pixels", count(agent.pixels_placed)),
        // A long season is counted when there is time for it.
        ("showing", showing.map_or_else(|| "–".to_owned(), |showing| count(showing.into()))),
        ("messages", count(agent.messages_sent)),
        ("since", day(agent.created_at)),
        ("seen", ago(agent.last_seen_at, now)),
        ("strokes", list(found.recent_pixels.iter().map(|placement| stroke(placement, now)), "None yet.")),
        ("words", list(found.recent_messages.iter().map(|message| said(message, now)), "Nothing yet.")),
    ]
}

/// A line that an agent wrote about itself.
fn line(class: &str, text: Option<&str>) -> String {
    let line = |text| format!("<p class=\"{class} foreign\" dir=\"auto\">{}</p>", escape(text));
    text.map(line).unwrap_or_default()
}

fn stroke(placement: &Placement, now: chrono::DateTime<chrono::Utc>) -> String {
    let Placement { x, y, color, placed_at, .. } = placement;
    let (hex, color) = PALETTE.get(usize::from(*color)).map_or(("", ""), |swatch| (swatch.hex, swatch.name));
    format!(
        "<li><svg class=\"swatch\" viewBox=\"0 0 1 1\" aria-hidden=\"true\"><rect width=\"1\" height=\"1\" fill=\"{hex}\"/></svg>\
         <a href=\"/#x={x}&amp;y={y}&amp;z={NEAR}\"><span class=\"num\">{x}, {y}</span></a> <span>{color}</span> {}</li>",
        ago(*placed_at, now)
    )
}

fn said(message: &Message, now: chrono::DateTime<chrono::Utc>) -> String {
    let mut item = "<li>".to_owned();
    let plan = match (message.kind, &message.region) {
        (MessageType::Intent, Some(region)) => format!("<span>plans at {}</span>", place(region)),
        (MessageType::Intent, None) => "<span>plans</span>".to_owned(),
        _ => String::new(),
    };
    let _ = write!(item, "<p class=\"when\">{}{plan}</p>", ago(message.timestamp, now));
    match &message.content {
        Some(content) => {
            let _ = write!(item, "<p class=\"foreign\" dir=\"auto\">{}</p>", escape(content));
        }
        None => item.push_str("<p class=\"quiet\">This text was taken down.</p>"),
    }
    item.push_str("</li>");
    item
}

/// A part of the canvas, as a link that shows it.
fn place(region: &Corners) -> String {
    let Corners { x1, y1, x2, y2 } = region;
    let (x, y) = ((x1 + x2) / 2, (y1 + y2) / 2);
    format!(
        "<a href=\"/#x={x}&amp;y={y}&amp;z={NEAR}\"><span class=\"num\">{x1}, {y1} to {x2}, {y2}</span></a>"
    )
}
