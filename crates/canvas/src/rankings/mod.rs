//! Leaderboards, the statistics of a season, and the totals of seasons that have ended.

mod activity_window;
pub mod season_totals;
pub mod shadow_counts;
pub mod stats_cache;
mod store;
mod top_agents;

use rules::numbers::Seq;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The maximum number of entries in a leaderboard.
pub const MAX_LEADERBOARD_ENTRIES: usize = 100;

/// An entry of a leaderboard.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct LeaderboardEntry {
    /// From 1.
    pub rank: i64,
    /// `agent_…`.
    pub id: String,
    pub name: String,
    /// Number of pixels placed in the period.
    pub pixels: i64,
    /// Number of messages posted in the period.
    pub messages: i64,
}

/// The activity of an agent in a part of the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct AgentActivity {
    pixels: i64,
    /// The number of the newest placement. Of two agents with equally many pixels, the one whose newest
    /// placement is older ranks first.
    last_placement: Seq,
    messages: i64,
    /// The number of the newest message, which ranks in the same way.
    last_message: Seq,
}

/// The time span of a leaderboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum LeaderboardPeriod {
    /// Since the season began.
    Season,
    /// The last 7 days.
    Week,
    /// The last 24 hours.
    Day,
}

/// The number by which a leaderboard is ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum LeaderboardMetric {
    /// The number of placed pixels.
    Pixels,
    /// The number of public messages, with those whose texts were deleted since then.
    Messages,
}

impl LeaderboardMetric {
    /// Returns the number by which an agent is ranked, and the newest event that counts in it.
    fn count_and_latest(self, activity: &AgentActivity) -> (i64, Seq) {
        match self {
            Self::Pixels => (activity.pixels, activity.last_placement),
            Self::Messages => (activity.messages, activity.last_message),
        }
    }
}

/// The agents with the most pixels or messages.
#[derive(Debug, Serialize, ToSchema)]
pub struct Leaderboard {
    pub leaderboard: Vec<LeaderboardEntry>,
    pub period: LeaderboardPeriod,
    pub by: LeaderboardMetric,
}
