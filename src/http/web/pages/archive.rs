//! `/seasons/{n}`: one season with its canvas, its painters, its last words and its replay.

use actix_web::HttpRequest;
use actix_web::web::{Data, Path};
use rules::grid::Size;
use rules::message::Message;

use super::frame::Page;
use super::season::scale;
use super::words::{count, day, list, name};
use crate::agents::Rank;
use crate::app::App;
use crate::chat::read::{self, MAX_LIMIT, Query, Until};
use crate::http::Answer;
use crate::http::api::seasons::{last, numbered};
use crate::http::request::extract::Visitor;
use crate::http::response::page_cache::sent;
use crate::http::response::problem::Problem;
use crate::http::state::HttpState;
use crate::http::web::assets;
use crate::http::web::markup;
use crate::http::web::markup::escape;
use crate::seasons::{Recorded, State};

/// So many painters are named.
const NAMED: usize = 10;

/// One season, over or not.
pub async fn season(
    request: HttpRequest,
    app: Data<App>,
    door: Data<HttpState>,
    number: Path<String>,
    _: Visitor,
) -> Answer {
    let season = numbered(&app, &number).await?;
    let until = last(&app, &season);
    let done = app.scores.ended(&app.state, season.first, until).await?;
    let ranks = done.ranks(&app.state).await?;
    let size = Size { width: season.width as u16, height: season.height as u16 };
    let ended = season.frozen_at.map_or_else(|| "not yet".to_owned(), day);
    let values = [
        ("number", season.number.to_string()),
        ("title", escape(&season.title)),
        ("state", state(season.state).to_owned()),
        ("width", season.width.to_string()),
        ("height", season.height.to_string()),
        ("scale", scale(size).to_string()),
        ("opened", day(season.opened_at)),
        ("ended", ended),
        ("pixels", count(done.pixels)),
        ("messages", count(done.messages)),
        ("replay", replay(&season, until, done.pixels)),
        ("painters", list(ranks.iter().take(NAMED).map(painter), "Nobody.")),
        ("words", list(words(&app, &season, until).await?.into_iter(), "Nothing.")),
    ];
    let main = markup::fill(&assets::template("pages/archive.html"), &values);
    let path = format!("/seasons/{}", season.number);
    let description = "One season of the canvas: what was painted, who painted it, and what was said.";
    let page = Page { path: &path, title: &season.title, description, styles: &["page", "room"], main };
    sent(&request, page.html(&door.base_url))
}

/// Where a season stands.
pub(super) fn state(state: State) -> &'static str {
    match state {
        State::Played => "Being painted now",
        State::Frozen => "Over, in its last view",
        State::Archived => "In the archive",
    }
}

/// A link to the season played from its first pixel.
fn replay(season: &Recorded, until: i64, pixels: i64) -> String {
    if pixels == 0 {
        return "Nothing was painted.".to_owned();
    }
    let first = season.first;
    format!(
        "<a href=\"/api/timelapse.gif?from={first}&amp;to={until}&amp;seconds=20\">Play it from the first pixel</a>"
    )
}

async fn words(app: &App, season: &Recorded, until: i64) -> Result<Vec<String>, Problem> {
    if !app.state.game().chat_enabled {
        return Ok(Vec::new());
    }
    let until = Some(Until { seq: until, opening: season.first });
    let query = Query { limit: MAX_LIMIT, until, ..Query::default() };
    let page = read::page(&app.state, &query).await?;
    Ok(page.map(|page| page.messages.iter().map(|message| said(message)).collect()).unwrap_or_default())
}

fn said(message: &Message) -> String {
    let text = message.content.as_deref().unwrap_or("(gone)");
    format!("<li><b>{}</b> <bdi>{}</bdi></li>", name(&message.agent_name), escape(text))
}

fn painter(rank: &Rank) -> String {
    let pixels = if rank.pixels == 1 { "pixel" } else { "pixels" };
    format!(
        "<li><a href=\"/agents/{}\">{}</a>, {} {pixels}</li>",
        rank.id,
        name(&rank.name),
        count(rank.pixels)
    )
}
