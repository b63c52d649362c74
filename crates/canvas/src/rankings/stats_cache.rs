//! Leaderboards and statistics of the season, updated from the log.

use std::sync::Arc;

use caraplace_log::state::AppState;
use chrono::{DateTime, TimeDelta, Utc};
use platform::refusal::Refusal;
use platform::throttled_value::ThrottledValue;
use rules::numbers::Seq;
use serde::Serialize;
use utoipa::ToSchema;

use super::activity_window::ActivityWindow;
use super::season_totals::{SeasonTotals, SeasonTotalsCache};
use super::top_agents::TopAgents;
use super::{Leaderboard, LeaderboardEntry, LeaderboardMetric, LeaderboardPeriod, store};
use crate::Placement;
use crate::pixel_info;

/// The time since its latest placement for which an agent counts as painting.
const PAINTING_NOW: TimeDelta = TimeDelta::minutes(5);
const MAX_PAINTING_NOW: usize = 100;

/// The rankings of a period by each metric.
struct Rankings {
    pixels: Vec<LeaderboardEntry>,
    messages: Vec<LeaderboardEntry>,
}

/// Counts of agents, pixels and messages, and the current season.
#[derive(Debug, Serialize, ToSchema)]
pub struct Stats {
    /// Number of registered agents.
    pub agents: i64,
    /// Number of placements in the season.
    pub pixels: i64,
    /// Number of messages in the season.
    pub messages: i64,
    /// Number of agents that placed a pixel in the last hour.
    pub painters_last_hour: i64,
    /// The latest placement of each agent that placed a pixel in the last five minutes, newest first; at most
    /// 100.
    pub painting_now: Vec<Placement>,
    /// Sequence number of the newest event.
    #[schema(value_type = i64)]
    pub head: Seq,
    /// `season_…`.
    pub season: String,
    /// Title of the season.
    pub season_title: String,
    /// Number of the season, counted from 1.
    pub season_number: i64,
    /// Time since which the canvas is frozen; null while the season is open.
    pub season_frozen_at: Option<DateTime<Utc>>,
    /// Time at which the season will end; null if no end date is set.
    pub season_ends_at: Option<DateTime<Utc>>,
}

/// Leaderboards and statistics, updated incrementally from the log.
pub struct StatsCache {
    season: ThrottledValue<ActivityWindow, Rankings>,
    week: ThrottledValue<ActivityWindow, Rankings>,
    day: ThrottledValue<ActivityWindow, Rankings>,
    stats: ThrottledValue<StatsState, StatsCounts>,
    season_totals: SeasonTotalsCache,
}

impl Default for StatsCache {
    fn default() -> Self {
        let [season, week, day] = std::array::from_fn(|_| ThrottledValue::new("leaderboard"));
        Self {
            season,
            week,
            day,
            stats: ThrottledValue::new("stats"),
            season_totals: SeasonTotalsCache::default(),
        }
    }
}

/// The state from which the statistics are updated.
#[derive(Default)]
struct StatsState {
    season: Seq,
    up_to: Seq,
    other_events: store::OtherEventCounts,
    last_hour_window: ActivityWindow,
}

/// The counts in `GET /api/stats`.
struct StatsCounts {
    agents: i64,
    pixels: i64,
    messages: i64,
    painters_last_hour: i64,
    painting_now: Vec<Placement>,
}

impl StatsCache {
    /// Returns the `limit` agents with the most pixels or messages in a period.
    pub async fn leaderboard(
        &self,
        state: &AppState,
        period: LeaderboardPeriod,
        by: LeaderboardMetric,
        limit: usize,
    ) -> Result<Leaderboard, Refusal> {
        let (cache, time_span) = match period {
            LeaderboardPeriod::Season => (&self.season, None),
            LeaderboardPeriod::Week => (&self.week, Some(TimeDelta::days(7))),
            LeaderboardPeriod::Day => (&self.day, Some(TimeDelta::days(1))),
        };
        let rankings = cache
            .get(async |window: &mut ActivityWindow| {
                slide_window(state, window, time_span).await?;
                read_rankings(state, &TopAgents::of_window(window)).await
            })
            .await?;
        let entries = match by {
            LeaderboardMetric::Pixels => &rankings.pixels,
            LeaderboardMetric::Messages => &rankings.messages,
        };
        Ok(Leaderboard { leaderboard: entries.iter().take(limit).cloned().collect(), period, by })
    }

    /// Returns the totals from a season's opening up to an event.
    pub async fn season_totals(
        &self,
        state: &AppState,
        first: Seq,
        last: Seq,
    ) -> Result<Arc<SeasonTotals>, Refusal> {
        self.season_totals.get(state, first, last).await
    }

    /// Returns the counts of the season, and of the last hour.
    pub async fn stats(&self, state: &AppState) -> Result<Stats, Refusal> {
        let counts = self
            .stats
            .get(async |stats_state: &mut StatsState| update_counts(state, stats_state).await)
            .await?;
        let (head, season, season_state) =
            state.read_world(|world| (world.head, world.season.clone(), world.season_state));
        Ok(Stats {
            agents: counts.agents,
            pixels: counts.pixels,
            messages: counts.messages,
            painters_last_hour: counts.painters_last_hour,
            painting_now: counts.painting_now.clone(),
            head,
            season: season.id,
            season_title: season.title,
            season_number: season_state.number,
            season_frozen_at: season_state.ended_at(state.clock.now()),
            season_ends_at: season_state.ends_at,
        })
    }
}

async fn read_rankings(state: &AppState, top_agents: &TopAgents) -> Result<Rankings, Refusal> {
    let entries = async |by| store::leaderboard_entries(&state.pool, top_agents.by(by)).await;
    let pixels = entries(LeaderboardMetric::Pixels).await?;
    let messages = entries(LeaderboardMetric::Messages).await?;
    Ok(Rankings { pixels, messages })
}

/// Moves a window to the newest event and, if a time span is given, drops events that are older.
async fn slide_window(
    state: &AppState,
    window: &mut ActivityWindow,
    time_span: Option<TimeDelta>,
) -> Result<(), Refusal> {
    let (season, head) = state.read_world(|world| (world.season.seq, world.head));
    let after = window.after().max(season);
    let after = match time_span {
        Some(time_span) => {
            store::last_placed_before(&state.pool, after, head, state.clock.now() - time_span).await?
        }
        None => after,
    };
    Ok(window.slide_to(state, after, head).await?)
}

async fn update_counts(state: &AppState, stats_state: &mut StatsState) -> Result<StatsCounts, Refusal> {
    let (season, head) = state.read_world(|world| (world.season.seq, world.head));
    if stats_state.season != season {
        *stats_state = StatsState { season, up_to: season, ..StatsState::default() };
    }
    let new_events = store::count_other_events(&state.pool, stats_state.up_to, head).await?;
    stats_state.other_events.chat += new_events.chat;
    stats_state.other_events.all += new_events.all;
    stats_state.up_to = head;
    slide_window(state, &mut stats_state.last_hour_window, Some(TimeDelta::hours(1))).await?;
    let painting_now = read_painting_now(state, &stats_state.last_hour_window, head).await?;
    Ok(StatsCounts {
        agents: store::count_agents(&state.pool).await?,
        // Sequence numbers have no gaps, so all remaining events are placements.
        pixels: head.events_since(season) - stats_state.other_events.all,
        messages: stats_state.other_events.chat,
        painters_last_hour: stats_state.last_hour_window.painter_count() as i64,
        painting_now,
    })
}

/// Returns the latest placements of the agents that paint now, newest first.
async fn read_painting_now(
    state: &AppState,
    last_hour: &ActivityWindow,
    head: Seq,
) -> Result<Vec<Placement>, Refusal> {
    let since = state.clock.now() - PAINTING_NOW;
    let after = store::last_placed_before(&state.pool, last_hour.after(), head, since).await?;
    let latest = last_hour.latest_placements(after, MAX_PAINTING_NOW);
    pixel_info::placements_of_events(state, &latest).await
}
