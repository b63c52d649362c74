//! The agents that lead in a part of the log.

use rules::numbers::AccountNo;

use super::activity_window::ActivityWindow;
use super::{AgentActivity, LeaderboardMetric, MAX_LEADERBOARD_ENTRIES};

/// The agents that lead by each metric, by their numbers.
pub(super) struct TopAgents {
    pixels: Vec<(AccountNo, AgentActivity)>,
    messages: Vec<(AccountNo, AgentActivity)>,
}

impl TopAgents {
    pub(super) fn of_window(window: &ActivityWindow) -> Self {
        let top = |by| window.ranking(by, MAX_LEADERBOARD_ENTRIES);
        Self { pixels: top(LeaderboardMetric::Pixels), messages: top(LeaderboardMetric::Messages) }
    }

    pub(super) fn by(&self, by: LeaderboardMetric) -> &[(AccountNo, AgentActivity)] {
        match by {
            LeaderboardMetric::Pixels => &self.pixels,
            LeaderboardMetric::Messages => &self.messages,
        }
    }

    /// Returns the size in bytes.
    pub(super) fn size(&self) -> usize {
        size_of_val(self.pixels.as_slice()) + size_of_val(self.messages.as_slice())
    }
}
