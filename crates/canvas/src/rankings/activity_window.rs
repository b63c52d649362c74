//! Activity per agent in a sliding range of the log. When the range moves, only the events that enter or
//! leave it are read.

use std::cmp::Reverse;
use std::collections::HashMap;

use caraplace_log::state::AppState;
use rules::numbers::{AccountNo, Seq};

use super::store::{self, MessageCountRow, PlacementCountRow};
use super::{AgentActivity, LeaderboardMetric};

/// The maximum number of events per query, so that no query keeps the database busy for long.
const EVENTS_PER_READ: i64 = 250_000;

/// Activity per agent after one event up to another.
#[derive(Default)]
pub struct ActivityWindow {
    after: Seq,
    up_to: Seq,
    agents: HashMap<AccountNo, AgentActivity>,
}

impl ActivityWindow {
    /// Moves both ends forward. If a query fails, the parts that were read remain counted.
    pub async fn slide_to(&mut self, state: &AppState, after: Seq, up_to: Seq) -> Result<(), sqlx::Error> {
        if after >= self.up_to {
            *self = Self { after, up_to: after, ..Self::default() };
        }
        while self.after < after {
            let next = after.min(self.after.plus(EVENTS_PER_READ));
            let _permit = state.acquire_scan_permit().await;
            let placements = store::count_placements(&state.pool, self.after, next).await?;
            let messages = store::count_messages(&state.pool, self.after, next).await?;
            self.remove_events(&placements, &messages, next);
        }
        while self.up_to < up_to {
            let next = up_to.min(self.up_to.plus(EVENTS_PER_READ));
            let _permit = state.acquire_scan_permit().await;
            let placements = store::count_placements(&state.pool, self.up_to, next).await?;
            let messages = store::count_messages(&state.pool, self.up_to, next).await?;
            self.add_events(&placements, &messages, next);
        }
        Ok(())
    }

    /// Returns the event after which the range begins.
    pub fn after(&self) -> Seq {
        self.after
    }

    /// Returns the number of agents with placements.
    pub fn painter_count(&self) -> usize {
        self.agents.values().filter(|activity| activity.pixels > 0).count()
    }

    /// Returns the numbers of the agents' latest placements after an event, newest first.
    pub fn latest_placements(&self, after: Seq, limit: usize) -> Vec<Seq> {
        let latest = self.agents.values().map(|activity| activity.last_placement);
        let mut latest: Vec<_> = latest.filter(|seq| *seq > after).collect();
        latest.sort_unstable_by_key(|seq| Reverse(*seq));
        latest.truncate(limit);
        latest
    }

    /// Returns the agents with the most pixels or messages, the one with the most first.
    pub fn ranking(&self, by: LeaderboardMetric, count: usize) -> Vec<(AccountNo, AgentActivity)> {
        let mut agents: Vec<_> =
            self.agents.iter().filter(|(_, activity)| by.count_and_latest(activity).0 > 0).collect();
        agents.sort_unstable_by_key(|(_, activity)| {
            let (count, latest) = by.count_and_latest(activity);
            (-count, latest)
        });
        agents.into_iter().take(count).map(|(agent, activity)| (*agent, *activity)).collect()
    }

    fn add_events(&mut self, placements: &[PlacementCountRow], messages: &[MessageCountRow], up_to: Seq) {
        for row in placements {
            let activity = self.agents.entry(row.agent).or_default();
            activity.pixels += row.pixels;
            activity.last_placement = row.latest;
        }
        for row in messages {
            let activity = self.agents.entry(row.agent).or_default();
            activity.messages += row.messages;
            activity.last_message = row.latest;
        }
        self.up_to = up_to;
    }

    fn remove_events(&mut self, placements: &[PlacementCountRow], messages: &[MessageCountRow], after: Seq) {
        for row in placements {
            self.subtract(row.agent, |activity| activity.pixels -= row.pixels);
        }
        for row in messages {
            self.subtract(row.agent, |activity| activity.messages -= row.messages);
        }
        self.after = after;
    }

    fn subtract(&mut self, agent: AccountNo, change: impl FnOnce(&mut AgentActivity)) {
        let Some(activity) = self.agents.get_mut(&agent) else { return };
        change(activity);
        if activity.pixels == 0 && activity.messages == 0 {
            self.agents.remove(&agent);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use LeaderboardMetric::{Messages, Pixels};

    fn placement_count(agent: i64, pixels: i64, latest: i64) -> PlacementCountRow {
        PlacementCountRow { agent: AccountNo(agent), pixels, latest: Seq(latest) }
    }

    fn message_count(agent: i64, messages: i64, latest: i64) -> MessageCountRow {
        MessageCountRow { agent: AccountNo(agent), messages, latest: Seq(latest) }
    }

    fn activity(pixels: i64, last_placement: i64, messages: i64, last_message: i64) -> AgentActivity {
        AgentActivity {
            pixels,
            last_placement: Seq(last_placement),
            messages,
            last_message: Seq(last_message),
        }
    }

    #[test]
    fn events_outside_the_window_are_not_counted() {
        let mut window = ActivityWindow::default();
        window.add_events(
            &[placement_count(1, 3, 9), placement_count(2, 1, 4)],
            &[message_count(2, 1, 5)],
            Seq(10),
        );
        window.add_events(&[placement_count(2, 1, 12)], &[], Seq(12));
        assert_eq!(
            window.ranking(Pixels, 9),
            [(AccountNo(1), activity(3, 9, 0, 0)), (AccountNo(2), activity(2, 12, 1, 5))]
        );
        window.remove_events(
            &[placement_count(1, 2, 3), placement_count(2, 1, 4)],
            &[message_count(2, 1, 5)],
            Seq(5),
        );
        assert_eq!(
            window.ranking(Pixels, 9),
            [(AccountNo(1), activity(1, 9, 0, 0)), (AccountNo(2), activity(1, 12, 0, 5))]
        );
        window.remove_events(&[placement_count(1, 1, 9)], &[], Seq(10));
        assert_eq!(
            (window.ranking(Pixels, 9).len(), window.painter_count(), window.after()),
            (1, 1, Seq(10))
        );
    }

    #[test]
    fn agents_without_placements_are_not_painters() {
        let mut window = ActivityWindow::default();
        window.add_events(&[], &[message_count(7, 1, 2)], Seq(3));
        assert_eq!((window.painter_count(), window.ranking(Pixels, 1).len()), (0, 0));
        assert_eq!(window.ranking(Messages, 1), [(AccountNo(7), activity(0, 0, 1, 2))]);
    }

    #[test]
    fn of_equal_numbers_of_messages_the_earlier_ranks_first() {
        let mut window = ActivityWindow::default();
        window.add_events(
            &[placement_count(1, 9, 20)],
            &[message_count(1, 2, 19), message_count(2, 2, 12), message_count(3, 3, 21)],
            Seq(21),
        );
        let agents: Vec<AccountNo> =
            window.ranking(Messages, 9).into_iter().map(|(agent, _)| agent).collect();
        assert_eq!(agents, [3, 2, 1].map(AccountNo));
    }
}
