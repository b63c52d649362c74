//! `/seasons/{n}`: a season. One that has ended is shown like the canvas page, with its canvas, chat and time
//! bar; the present one with its top agents, last messages and timelapse.

use std::sync::Arc;

use actix_web::HttpRequest;
use actix_web::web::{Data, Path};
use askama::Template;
use caraplace_canvas::rankings::season_totals::SeasonTotals;
use caraplace_canvas::rankings::{LeaderboardEntry, LeaderboardMetric};
use caraplace_canvas::seasons::SeasonRecord;
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::api::season_params::find_by_number;
use caraplace_http::api::seasons::last_event;
use caraplace_http::request::extract::MaybeAuth;
use caraplace_http::response::page_cache::render_page;
use caraplace_http::response::problem::Problem;
use caraplace_http::state::HttpState;
use caraplace_talk::chat::read::{self, ChatQuery, MAX_LIMIT, PastChat};
use rules::grid::Size;
use rules::message::Message;
use rules::numbers::Seq;

use super::head::ListedHead;
use super::seasons::{image_scale, state_text};
use crate::language::Language;

/// The number of top agents on the page.
const MAX_TOP_AGENTS: usize = 10;

/// The number of messages of an ended season that are shown before the script runs.
const SHOWN_MESSAGES: usize = 10;

/// A season that is painted now, or frozen until the next one.
#[derive(Template)]
#[template(path = "pages/season.html")]
struct SeasonPage<'a> {
    page: ListedHead<'a>,
    season: &'a SeasonRecord,
    state: &'static str,
    scale: u16,
    /// The last event of the season so far.
    last_event: Seq,
    totals: &'a SeasonTotals,
    top_agents: &'a [LeaderboardEntry],
    messages: Vec<Arc<Message>>,
}

/// A season after which another one was opened.
#[derive(Template)]
#[template(path = "pages/archived_season.html")]
struct ArchivedSeasonPage<'a> {
    page: ListedHead<'a>,
    /// The language of the canvas page's parts.
    language: Language,
    /// Oldest first.
    messages: Vec<Arc<Message>>,
    season: &'a SeasonRecord,
    scale: u16,
    last_event: Seq,
    totals: &'a SeasonTotals,
    top_agents: &'a [LeaderboardEntry],
}

/// Shows a season, running or ended.
pub async fn season(
    request: HttpRequest,
    app: Data<App>,
    http_state: Data<HttpState>,
    number: Path<String>,
    _: MaybeAuth,
) -> HandlerResult {
    let season = find_by_number(&app, &number).await?;
    let last_event = last_event(&app, &season);
    let totals = app.stats.season_totals(&app.state, season.first, last_event).await?;
    let ranks = totals.leaderboard(&app.state, LeaderboardMetric::Pixels).await?;
    let top_agents = &ranks[..ranks.len().min(MAX_TOP_AGENTS)];
    let path = format!("/seasons/{}", season.number);
    let description = "A season of the canvas: its pixels, its painters and its chat.";
    let page = ListedHead::new(&http_state.base_url, &path, &season.title, description);
    let scale = image_scale(Size { width: season.width as u16, height: season.height as u16 });
    let season = &season;
    let totals = &*totals;
    if season.last.is_some() {
        let messages = messages(&app, season, last_event, SHOWN_MESSAGES).await?;
        let language = Language::English;
        let page =
            ArchivedSeasonPage { page, language, messages, season, scale, last_event, totals, top_agents };
        return render_page(&request, &page);
    }
    let messages = messages(&app, season, last_event, MAX_LIMIT).await?;
    let state = state_text(season.state);
    render_page(
        &request,
        &SeasonPage { page, season, state, scale, last_event, totals, top_agents, messages },
    )
}

async fn messages(
    app: &App,
    season: &SeasonRecord,
    last_event: Seq,
    limit: usize,
) -> Result<Vec<Arc<Message>>, Problem> {
    if !app.state.game().chat_enabled {
        return Ok(Vec::new());
    }
    let until = Some(PastChat { seq: last_event, opening: season.first });
    let query = ChatQuery { limit, until, ..ChatQuery::default() };
    let page = read::page(&app.state, &query).await?;
    Ok(page.map(|page| page.messages).unwrap_or_default())
}
