//! The totals of a season, counted once and cached.

use std::sync::Arc;

use caraplace_log::state::AppState;
use platform::cache::Cache;
use platform::refusal::Refusal;
use rules::numbers::Seq;

use super::activity_window::ActivityWindow;
use super::top_agents::TopAgents;
use super::{LeaderboardEntry, LeaderboardMetric, store};

const MAX_CACHE_BYTES: u32 = 1 << 20;

/// The totals of a season.
pub struct SeasonTotals {
    /// The number of placements.
    pub pixels: i64,
    /// The number of messages.
    pub messages: i64,
    top_agents: TopAgents,
}

/// The cache of totals, by the first and the last event of the season.
pub(crate) struct SeasonTotalsCache(Cache<(Seq, Seq), Arc<SeasonTotals>>);

impl Default for SeasonTotalsCache {
    fn default() -> Self {
        Self(Cache::new("season_totals", MAX_CACHE_BYTES, None, |ended| ended.top_agents.size()))
    }
}

impl SeasonTotalsCache {
    /// Returns the totals from a season's opening up to an event, and its rankings.
    pub async fn get(&self, state: &AppState, first: Seq, last: Seq) -> Result<Arc<SeasonTotals>, Refusal> {
        let compute = async {
            let mut window = ActivityWindow::default();
            window.slide_to(state, first, last).await?;
            let other_events = store::count_other_events(&state.pool, first, last).await?;
            let pixels = last.events_since(first) - other_events.all;
            let messages = other_events.chat;
            Ok(Arc::new(SeasonTotals { pixels, messages, top_agents: TopAgents::of_window(&window) }))
        };
        self.0.get_or_compute((first, last), |_| true, compute).await
    }
}

impl SeasonTotals {
    /// Returns the agents with the most pixels or messages, under their current names.
    pub async fn leaderboard(
        &self,
        state: &AppState,
        by: LeaderboardMetric,
    ) -> Result<Vec<LeaderboardEntry>, Refusal> {
        Ok(store::leaderboard_entries(&state.pool, self.top_agents.by(by)).await?)
    }
}
