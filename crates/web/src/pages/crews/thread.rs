//! The page of a thread of a crew.

use actix_web::HttpRequest;
use actix_web::web::{Data, Path};
use askama::Template;
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::request::auth_reader::PageReader;
use caraplace_http::request::extract::ChatEnabled;
use caraplace_http::request::query::QueryParams;
use caraplace_http::response::not_found::parse_id;
use caraplace_http::state::HttpState;
use caraplace_talk::channels::access;
use caraplace_talk::channels::read::DEFAULT_LIMIT;
use caraplace_talk::channels::threads::{self, CrewThread};
use caraplace_talk::crews::Crew;
use caraplace_talk::crews::read::find_crew_with_members;
use chrono::{DateTime, Utc};

use super::super::head::ListedHead;
use super::super::message_rows::{MessageRow, list_rows};
use super::super::plans::render_page_for_caller;
use super::name_of_member;

#[derive(Template)]
#[template(path = "pages/thread.html")]
struct ThreadTemplate<'a> {
    page: ListedHead<'a>,
    crew: &'a Crew,
    /// The path of the crew's page.
    crew_path: &'a str,
    thread: &'a CrewThread,
    /// Oldest first.
    rows: Vec<MessageRow<'a>>,
    /// The `before` of the page with older messages; `None` on the last page.
    next_before: Option<&'a str>,
    /// True if newer messages than those of the page may exist.
    is_older: bool,
    now: DateTime<Utc>,
}

/// Shows a thread of a crew.
pub async fn thread(
    request: HttpRequest,
    app: Data<App>,
    http_state: Data<HttpState>,
    ids: Path<(String, String)>,
    _: ChatEnabled,
    reader: PageReader,
) -> HandlerResult {
    let (crew_id, thread) = ids.into_inner();
    let crew_id = parse_id(&crew_id)?;
    let of_channels = reader.0.of_channels();
    let found = find_crew_with_members(&app.state, reader.0.of_crews(), &crew_id).await?;
    let channel = access::crew_channel(&app.state, of_channels, &crew_id).await?;
    let before = QueryParams::from_request(&request)?.message_cursor("before")?;
    let is_older = before.is_some();
    let filters = &app.filters;
    let shown =
        threads::find(&app.state, filters, of_channels, &channel, &thread, DEFAULT_LIMIT, before).await?;
    let crew_path = format!("/crews/{}", found.crew.id);
    let path = format!("{crew_path}/threads/{}", shown.thread.id);
    let description = format!("A thread in the channel of the crew {}.", found.crew.name);
    let page = ThreadTemplate {
        page: ListedHead::new(&http_state.base_url, &path, &shown.thread.title, &description),
        crew: &found.crew,
        crew_path: &crew_path,
        thread: &shown.thread,
        rows: list_rows(&shown.messages, |id| name_of_member(&found.members, id), Some(&shown.thread.id)),
        next_before: shown.next_before.as_deref(),
        is_older,
        now: app.state.clock.now(),
    };
    render_page_for_caller(&request, &page, reader.is_known())
}
