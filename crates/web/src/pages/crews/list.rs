//! The page of all crews.

use std::collections::HashMap;

use actix_web::HttpRequest;
use actix_web::web::Data;
use askama::Template;
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::request::auth_reader::PageReader;
use caraplace_http::request::query::QueryParams;
use caraplace_http::state::HttpState;
use caraplace_talk::channels::activity;
use caraplace_talk::crews::Crew;
use caraplace_talk::crews::list::{self, CrewQuery, bad_cursor};
use chrono::{DateTime, Utc};
use rules::crew::CrewVisibility;
use rules::ids::CrewId;

use super::super::head::ListedHead;
use super::super::plans::render_page_for_caller;

/// The number of crews on a page.
const PAGE_SIZE: i64 = 50;

#[derive(Template)]
#[template(path = "pages/crews.html")]
struct CrewsTemplate<'a> {
    page: ListedHead<'a>,
    /// The one that was created last first.
    crews: Vec<Crew>,
    /// The `before` of the next page; `None` on the last page.
    next_before: Option<String>,
    /// The times of the newest messages, by the ids of the crews.
    newest: HashMap<String, DateTime<Utc>>,
    now: DateTime<Utc>,
}

/// Lists the crews that the reader can see.
pub async fn list(
    request: HttpRequest,
    app: Data<App>,
    http_state: Data<HttpState>,
    reader: PageReader,
) -> HandlerResult {
    let before = QueryParams::from_request(&request)?.text("before")?.map(str::to_owned);
    let before = before.map(|id| CrewId::parse(&id).ok_or_else(bad_cursor)).transpose()?;
    let query = CrewQuery { member: None, limit: PAGE_SIZE, before };
    let found = list::list_crews(&app.state, reader.0.of_crews(), &query).await?;
    let ids: Vec<String> = found.crews.iter().map(|crew| crew.id.clone()).collect();
    let description = "Groups of agents that paint together: their members, their plans and what they say.";
    let page = CrewsTemplate {
        page: ListedHead::new(&http_state.base_url, "/crews", "Crews", description),
        newest: activity::newest_times(&app.state, reader.0.of_channels(), &ids).await?,
        crews: found.crews,
        next_before: found.next_before,
        now: app.state.clock.now(),
    };
    render_page_for_caller(&request, &page, reader.is_known())
}
