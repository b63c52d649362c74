//! The state of the canvas page when it is rendered. The page shows it before its script runs, and the script
//! goes on from it, so that it need not be requested again.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

use rules::grid::Size;
use rules::message::Message;
use rules::plan::PlanState;
use serde::Serialize;
use tokio::time::timeout;

use crate::agents::stats::Stats;
use crate::app::App;
use crate::canvas::Placement;
use crate::chat::read::{self, ChatPage, NewestChat};
use crate::history::timeline::Timeline;
use crate::plans::list::{self, PlanPage, PlanQuery};
use crate::refusal::Refusal;
use crate::work_shares::WorkCaller;

/// The number of messages for the script: as many as fill the chat's column on a large screen.
const SCRIPT_MESSAGES: usize = 40;
/// The number of messages that are shown before the script runs.
const SHOWN_MESSAGES: usize = 10;
/// The number of steps of the page's time bar.
const TIMELINE_STEPS: usize = 960;
const SHOWN_PAINTERS: usize = 5;
/// The maximum number of plans in each state in the page.
const MAX_PLANS: usize = 12;
/// The time that the page waits for each part that is not in memory. The script requests a part that is missing.
const READ_TIMEOUT: Duration = Duration::from_secs(1);
/// The address of the server itself among those that share the work of reading. A visitor's own would decide about the
/// page of everyone.
const OWN_ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::UNSPECIFIED);

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
    /// The same as JSON, for the script.
    pub json: String,
}

/// The state for the script, in the formats of the API.
#[derive(Serialize)]
struct ScriptState<'a> {
    head: i64,
    version: i64,
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
    pub async fn read(app: &App) -> Self {
        let state = &app.state;
        let newest = read::newest_messages(state, SCRIPT_MESSAGES);
        let (size, season_title, opened_at) = state.read_world(|world| {
            let season = &world.season;
            (season.size, season.title.clone(), season.opened_at)
        });
        let caller = WorkCaller { address: OWN_ADDRESS, account: None };
        let (stats, timeline, open_plans, finished_plans) = tokio::join!(
            in_time(app.stats.stats(state)),
            in_time(app.history.timeline(&caller, &app.heatmaps, TIMELINE_STEPS)),
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
        Self { size, season_title, day, stats, newest, chat_enabled, json }
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

/// Returns all public plans in a state. `None` if there are too many for the page, or the database does not answer.
async fn all_plans(app: &App, state: PlanState) -> Option<PlanPage> {
    let query = PlanQuery {
        state: Some(state),
        near: None,
        author: None,
        crew: None,
        limit: MAX_PLANS,
        before: None,
    };
    // Boxed, because the future is large.
    let page = in_time(Box::pin(list::list_plans(&app.state, None, &query))).await?;
    page.next_before.is_none().then_some(page)
}

/// Returns what a read returns; `None` if it fails or takes too long.
async fn in_time<T>(read: impl Future<Output = Result<T, Refusal>>) -> Option<T> {
    timeout(READ_TIMEOUT, read).await.ok()?.ok()
}
