//! `/seasons/{n}`: one season with its canvas, its painters, its last words and its replay.

use std::sync::Arc;

use actix_web::HttpRequest;
use actix_web::web::{Data, Path};
use askama::Template;
use rules::grid::Size;
use rules::message::Message;

use super::frame::ListedHead;
use super::season::{scale, state};
use crate::agents::Rank;
use crate::agents::ended::Ended;
use crate::app::App;
use crate::chat::read::{self, MAX_LIMIT, Query, Until};
use crate::http::Answer;
use crate::http::api::seasons::{last, numbered};
use crate::http::request::extract::Visitor;
use crate::http::response::page_cache::sent;
use crate::http::response::problem::Problem;
use crate::http::state::HttpState;
use crate::seasons::Recorded;

/// So many painters are named.
const NAMED: usize = 10;

#[derive(Template)]
#[template(path = "pages/archive.html")]
struct SeasonPage<'a> {
    page: ListedHead<'a>,
    season: &'a Recorded,
    state: &'static str,
    scale: u16,
    /// The last event of the season so far.
    until: i64,
    totals: &'a Ended,
    painters: &'a [Rank],
    messages: Vec<Arc<Message>>,
}

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
    let totals = app.scores.ended(&app.state, season.first, until).await?;
    let ranks = totals.ranks(&app.state).await?;
    let path = format!("/seasons/{}", season.number);
    let description = "One season of the canvas: what was painted, who painted it, and what was said.";
    let page = SeasonPage {
        page: ListedHead::new(&door.base_url, &path, &season.title, description),
        state: state(season.state),
        scale: scale(Size { width: season.width as u16, height: season.height as u16 }),
        until,
        totals: &totals,
        painters: &ranks[..ranks.len().min(NAMED)],
        messages: messages(&app, &season, until).await?,
        season: &season,
    };
    sent(&request, &page)
}

async fn messages(app: &App, season: &Recorded, until: i64) -> Result<Vec<Arc<Message>>, Problem> {
    if !app.state.game().chat_enabled {
        return Ok(Vec::new());
    }
    let until = Some(Until { seq: until, opening: season.first });
    let query = Query { limit: MAX_LIMIT, until, ..Query::default() };
    let page = read::page(&app.state, &query).await?;
    Ok(page.map(|page| page.messages).unwrap_or_default())
}
