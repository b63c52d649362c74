//! The state of the canvas page when it is rendered. The page shows it before its script runs, and the script
//! goes on from it, so that it need not be requested again.

use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

use actix_web::rt;
use actix_web::web::Data;
use caraplace_canvas::Placement;
use caraplace_canvas::history::timeline::Timeline;
use caraplace_canvas::plans::list::{self, PlanPage, PlanQuery};
use caraplace_canvas::rankings::stats_cache::Stats;
use caraplace_companion::app::App;
use caraplace_talk::chat::read::{self, ChatPage, NewestChat};
use platform::cache::Cache;
use platform::refusal::Refusal;
use platform::work_shares::WorkCaller;
use rules::grid::Size;
use rules::message::Message;
use rules::numbers::Seq;
use rules::plan::PlanState;
use serde::Serialize;
use tokio::time::timeout;

/// The number of messages for the script: as many as fill the chat's column on a large screen.
const SCRIPT_MESSAGES: usize = 40;
/// The number of messages that are shown before the script runs.
const SHOWN_MESSAGES: usize = 10;
/// The number of steps of the page's time bar.
const TIMELINE_STEPS: usize = 960;
const SHOWN_PAINTERS: usize = 5;
/// The maximum number of plans in each state in the page.
const MAX_PLANS: usize = 12;
/// The time that the page waits for each part that is not in memory. The script requests a part that is
/// missing.
const READ_TIMEOUT: Duration = Duration::from_secs(1);
/// The address of the server itself among those that share the work of reading. A visitor's own would decide
/// about the page of everyone.
const OWN_ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::UNSPECIFIED);

/// The newest state of the canvas page, which its languages and codings share, and the second in which it was
/// read.
pub struct FirstViews(Cache<(), (i64, Arc<FirstView>), Infallible>);

impl Default for FirstViews {
    fn default() -> Self {
        // There is one entry, which stays whatever its size.
        Self(Cache::new("first_view", 1, None, |_| 0))
    }
}

impl FirstViews {
    /// Returns the state in a second or later, read once in it (in debug builds for each call).
    pub async fn get(&self, app: &Data<App>, second: i64) -> Arc<FirstView> {
        let is_current = |(read_in, _): &(i64, _)| *read_in >= second && !cfg!(debug_assertions);
        let read = async { Ok((second, Arc::new(FirstView::read(app).await))) };
        let Ok((_, first)) = self.0.get_or_compute((), is_current, read).await;
        first
    }
}

/// The state of the canvas page.
pub struct FirstView {
    pub size: Size,
    /// The title of the season; empty before the first one.
    pub season_title: String,
    /// The day of the season, from 1.
    pub day: i64,
    /// `None` if they were not read in time.
    pub stats: Option<Stats>,
    newest: NewestChat,
    pub chat_enabled: bool,
    /// True if the season is over, so that nobody paints.
    pub is_frozen: bool,
    /// The same as JSON, for the script.
    pub json: String,
}

/// The state for the script, in the formats of the API.
#[derive(Serialize)]
struct ScriptState<'a> {
    head: Seq,
    version: Seq,
    stats: Option<&'a Stats>,
    timeline: Option<Arc<Timeline>>,
    /// `None` if there are many.
    open_plans: Option<PlanPage>,
    finished_plans: Option<PlanPage>,
    /// `None` if the chat is off.
    chat: Option<&'a ChatPage>,
}

impl FirstView {
    /// Reads the state. What is not read in time is missing, and the script requests it.
    async fn read(app: &Data<App>) -> Self {
        let state = &app.state;
        let newest = read::newest_messages(state, SCRIPT_MESSAGES);
        let (size, season_title, opened_at, season_state) = state.read_world(|world| {
            let season = &world.season;
            (season.size, season.title.clone(), season.opened_at, world.season_state)
        });
        let is_frozen = season_state.ended_at(state.clock.now()).is_some();
        let (stats, timeline, open_plans, finished_plans) = tokio::join!(
            in_time(app, async |app| app.stats.stats(&app.state).await),
            in_time(app, async |app| {
                let caller = WorkCaller { address: OWN_ADDRESS, account: None };
                app.history.timeline(&caller, &app.heatmaps, TIMELINE_STEPS).await
            }),
            all_plans(app, PlanState::Open),
            all_plans(app, PlanState::Finished),
        );
        let chat_enabled = state.game().chat_enabled;
        let json = serde_json::to_string(&ScriptState {
            head: newest.head,
            version: newest.version,
            stats: stats.as_ref(),
            timeline,
            open_plans,
            finished_plans,
            chat: chat_enabled.then_some(&newest.page),
        })
        .unwrap_or_default();
        let until =
            stats.as_ref().and_then(|stats| stats.season_frozen_at).unwrap_or_else(|| state.clock.now());
        let day = (until - opened_at).num_days() + 1;
        Self { size, season_title, day, stats, newest, chat_enabled, is_frozen, json }
    }

    /// Returns the newest messages, oldest first; none if the chat is off.
    pub fn messages(&self) -> &[Arc<Message>] {
        let messages = if self.chat_enabled { self.newest.page.messages.as_slice() } else { &[] };
        &messages[messages.len().saturating_sub(SHOWN_MESSAGES)..]
    }

    /// Returns the latest placements of the agents that paint now.
    pub fn painters(&self) -> &[Placement] {
        let painters = self.stats.as_ref().map_or(&[][..], |stats| &stats.painting_now);
        &painters[..painters.len().min(SHOWN_PAINTERS)]
    }
}

/// Returns all public plans in a state. `None` if there are too many for the page, or the database does not
/// answer.
async fn all_plans(app: &Data<App>, state: PlanState) -> Option<PlanPage> {
    let query = PlanQuery { state: Some(state), limit: MAX_PLANS, ..PlanQuery::default() };
    let page = in_time(app, async move |app| list::list_plans(&app.state, None, &query).await).await?;
    page.next_before.is_none().then_some(page)
}

/// Returns what a read returns; `None` if it fails or takes too long. It goes on in that case, so that what
/// it leaves in a cache is there for later pages.
async fn in_time<T: 'static>(
    app: &Data<App>,
    read: impl AsyncFnOnce(Data<App>) -> Result<T, Refusal> + 'static,
) -> Option<T> {
    let app = app.clone();
    let task = rt::spawn(async move { read(app).await });
    timeout(READ_TIMEOUT, task).await.ok()?.ok()?.ok()
}
