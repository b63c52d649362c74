//! `/crews`: all crews that the reader can see, a crew with its members, plans and messages, and a thread.

mod list;
mod thread;

use actix_web::HttpRequest;
use actix_web::web::{Data, Path};
use askama::Template;
use caraplace_canvas::plans::PlanSummary;
use caraplace_canvas::plans::list::{PlanQuery, list_plans};
use caraplace_companion::app::App;
use caraplace_talk::channels::access;
use caraplace_talk::channels::read::{self, DEFAULT_LIMIT, PageQuery, PrivatePage};
use caraplace_talk::channels::threads::{self, CrewThread, CrewThreadPage};
use caraplace_talk::crews::read::find_crew_with_members;
use caraplace_talk::crews::{Crew, CrewMember};
use chrono::{DateTime, Utc};
use rules::crew::{CrewRole, CrewVisibility};
use rules::ids::CrewId;
use rules::plan::PlanState;

pub use list::list;
pub use thread::thread;

use super::head::ListedHead;
use super::message_rows::{MessageRow, list_rows};
use super::plans::render_page_for_caller;
use caraplace_http::HandlerResult;
use caraplace_http::request::auth_reader::{PageReader, Reader};
use caraplace_http::request::query::QueryParams;
use caraplace_http::response::not_found::parse_id;
use caraplace_http::response::problem::Problem;
use caraplace_http::state::HttpState;

/// The largest number of open plans on the page.
const MAX_PLANS: usize = 12;
/// The number of threads that are shown at once; the others are shown on request.
const SHOWN_THREADS: usize = 12;

#[derive(Template)]
#[template(path = "pages/crew.html")]
struct CrewTemplate<'a> {
    page: ListedHead<'a>,
    crew: &'a Crew,
    members: &'a [CrewMember],
    /// The open plans that the reader can see, newest first.
    plans: Vec<PlanSummary>,
    /// `None` while the chat is switched off.
    channel: Option<ChannelPage<'a>>,
    now: DateTime<Utc>,
}

/// A page of the channel.
struct ChannelPage<'a> {
    /// Oldest first.
    rows: Vec<MessageRow<'a>>,
    /// The `before` of the page with older messages; `None` on the last page.
    next_before: Option<&'a str>,
    /// The label of the only thread that is shown.
    thread: Option<&'a str>,
    /// True if newer messages than those of the page may exist.
    is_older: bool,
    /// The threads, the one with the newest message first.
    threads: &'a [CrewThread],
    /// True if the crew has threads that are not on the page.
    has_more_threads: bool,
}

/// The content of a channel that is shown.
struct ChannelContent {
    page: PrivatePage,
    threads: CrewThreadPage,
}

impl CrewTemplate<'_> {
    fn is_open(&self) -> bool {
        self.crew.visibility == CrewVisibility::Open
    }
}

impl ChannelPage<'_> {
    /// Returns the threads that are shown at once.
    fn newest_threads(&self) -> &[CrewThread] {
        &self.threads[..self.threads.len().min(SHOWN_THREADS)]
    }

    /// Returns the threads that are shown on request.
    fn other_threads(&self) -> &[CrewThread] {
        &self.threads[self.newest_threads().len()..]
    }
}

/// Shows a crew.
pub async fn crew(
    request: HttpRequest,
    app: Data<App>,
    http_state: Data<HttpState>,
    id: Path<String>,
    reader: PageReader,
) -> HandlerResult {
    let id = parse_id(&id)?;
    let found = find_crew_with_members(&app.state, reader.0.of_crews(), &id).await?;
    let query = parse_channel_query(&QueryParams::from_request(&request)?)?;
    let content = load_channel(&app, &reader.0, &id, &query).await?;
    let path = format!("/crews/{}", found.crew.id);
    let description = Some(found.crew.description.as_str()).filter(|text| !text.is_empty());
    let description = description.unwrap_or("A crew of AI agents that paint together.");
    let page = CrewTemplate {
        page: ListedHead::new(&http_state.base_url, &path, &found.crew.name, description),
        crew: &found.crew,
        members: &found.members,
        plans: load_plans(&app, &reader.0, &id).await?,
        channel: content.as_ref().map(|ChannelContent { page, threads }| ChannelPage {
            rows: list_rows(&page.messages, |id| name_of_member(&found.members, id), None),
            next_before: page.next_before.as_deref(),
            thread: query.thread.as_deref(),
            is_older: query.before.is_some(),
            threads: &threads.threads,
            has_more_threads: threads.next_before.is_some(),
        }),
        now: app.state.clock.now(),
    };
    render_page_for_caller(&request, &page, reader.is_known())
}

/// Returns the name of a member of a crew by its id; `None` if it is no member.
fn name_of_member<'a>(members: &'a [CrewMember], id: &str) -> Option<&'a str> {
    let member = members.iter().find(|member| member.agent_id == id);
    member.map(|member| member.agent_name.as_str())
}

fn parse_channel_query(params: &QueryParams) -> Result<PageQuery, Problem> {
    let before = params.message_cursor("before")?;
    let thread = params.text("thread")?.filter(|label| !label.is_empty());
    Ok(PageQuery { limit: DEFAULT_LIMIT, before, thread: thread.map(str::to_owned) })
}

/// Returns the open plans of a crew. Operators see those by invitation in the console.
async fn load_plans(app: &App, reader: &Reader, id: &CrewId) -> Result<Vec<PlanSummary>, Problem> {
    let caller = match reader {
        Reader::Account(account) => account.as_deref(),
        Reader::Operator => None,
    };
    let crew = Some(id.clone());
    let query = PlanQuery { state: Some(PlanState::Open), crew, limit: MAX_PLANS, ..PlanQuery::default() };
    Ok(list_plans(&app.state, caller, &query).await?.plans)
}

/// Returns a page of the crew's channel, and its threads; `None` while the chat is switched off.
async fn load_channel(
    app: &App,
    reader: &Reader,
    id: &CrewId,
    query: &PageQuery,
) -> Result<Option<ChannelContent>, Problem> {
    if !app.state.game().chat_enabled {
        return Ok(None);
    }
    let reader = reader.of_channels();
    let channel = access::crew_channel(&app.state, reader, id).await?;
    let page = read::page(&app.state, &app.filters, reader, &channel, query).await?;
    let threads = threads::list(&app.state, reader, &channel, threads::MAX_LIMIT, None).await?;
    Ok(Some(ChannelContent { page, threads }))
}
