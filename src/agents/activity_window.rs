//! Activity per agent in a sliding range of the log. When the range moves, only the events that enter or
//! leave it are read.

use std::collections::{HashMap, VecDeque};

use super::AgentActivity;
use super::store::{self, MessageRow, PlacementCountRow};
use crate::state::AppState;

/// The maximum number of events per query, so that no query keeps the database busy for long.
const EVENTS_PER_READ: i64 = 250_000;

/// Activity per agent after one event up to another.
#[derive(Default)]
pub struct ActivityWindow {
    after: i64,
    up_to: i64,
    agents: HashMap<i64, AgentActivity>,
    /// The messages in the range, oldest first. They are kept in memory because they may be deleted from the
    /// database before they leave the range.
    messages: VecDeque<MessageRow>,
}

impl ActivityWindow {
    /// Moves both ends forward. If a query fails, the parts that were read remain counted.
    ///
    /// # Errors
    /// Returns the error of the database.
    pub async fn slide_to(&mut self, state: &AppState, after: i64, up_to: i64) -> Result<(), sqlx::Error> {
        if after >= self.up_to {
            *self = Self { after, up_to: after, ..Self::default() };
        }
        while self.after < after {
            let next = after.min(self.after + EVENTS_PER_READ);
            let _permit = state.acquire_scan_permit().await;
            let placements = store::count_placements(&state.pool, self.after, next).await?;
            self.remove_events(&placements, next);
        }
        while self.up_to < up_to {
            let next = up_to.min(self.up_to + EVENTS_PER_READ);
            let _permit = state.acquire_scan_permit().await;
            let placements = store::count_placements(&state.pool, self.up_to, next).await?;
            let messages = store::list_messages(&state.pool, self.up_to, next).await?;
            self.add_events(&placements, &messages, next);
        }
        Ok(())
    }

    /// Returns the event after which the range begins.
    pub fn after(&self) -> i64 {
        self.after
    }

    /// Returns the number of agents with placements.
    pub fn painter_count(&self) -> usize {
        self.agents.values().filter(|activity| activity.pixels > 0).count()
    }

    /// Returns the agents with the most pixels, the one with the most first.
    pub fn top_painters(&self, count: usize) -> Vec<(i64, AgentActivity)> {
        let mut painters: Vec<_> = self.agents.iter().filter(|(_, activity)| activity.pixels > 0).collect();
        painters.sort_unstable_by_key(|(_, activity)| (-activity.pixels, activity.last_placement));
        painters.into_iter().take(count).map(|(agent, activity)| (*agent, *activity)).collect()
    }

    fn add_events(&mut self, placements: &[PlacementCountRow], messages: &[MessageRow], up_to: i64) {
        for row in placements {
            let activity = self.agents.entry(row.agent).or_default();
            activity.pixels += row.pixels;
            activity.last_placement = row.latest;
        }
        for message in messages {
            self.agents.entry(message.agent).or_default().messages += 1;
        }
        self.messages.extend(messages);
        self.up_to = up_to;
    }

    fn remove_events(&mut self, placements: &[PlacementCountRow], after: i64) {
        for row in placements {
            self.subtract(row.agent, |activity| activity.pixels -= row.pixels);
        }
        while let Some(message) = self.messages.pop_front_if(|message| message.seq <= after) {
            self.subtract(message.agent, |activity| activity.messages -= 1);
        }
        self.after = after;
    }

    fn subtract(&mut self, agent: i64, change: impl FnOnce(&mut AgentActivity)) {
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

    fn placement_count(agent: i64, pixels: i64, latest: i64) -> PlacementCountRow {
        PlacementCountRow { agent, pixels, latest }
    }

    #[test]
    fn events_outside_the_window_are_not_counted() {
        let mut window = ActivityWindow::default();
        window.add_events(
            &[placement_count(1, 3, 9), placement_count(2, 1, 4)],
            &[MessageRow { seq: 5, agent: 2 }],
            10,
        );
        window.add_events(&[placement_count(2, 1, 12)], &[], 12);
        assert_eq!(
            window.top_painters(9),
            [
                (1, AgentActivity { pixels: 3, last_placement: 9, messages: 0 }),
                (2, AgentActivity { pixels: 2, last_placement: 12, messages: 1 })
            ]
        );
        window.remove_events(&[placement_count(1, 2, 3), placement_count(2, 1, 4)], 5);
        assert_eq!(
            window.top_painters(9),
            [
                (1, AgentActivity { pixels: 1, last_placement: 9, messages: 0 }),
                (2, AgentActivity { pixels: 1, last_placement: 12, messages: 0 })
            ]
        );
        window.remove_events(&[placement_count(1, 1, 9)], 10);
        assert_eq!((window.top_painters(9).len(), window.painter_count(), window.after()), (1, 1, 10));
    }

    #[test]
    fn agents_without_placements_are_not_painters() {
        let mut window = ActivityWindow::default();
        window.add_events(&[], &[MessageRow { seq: 2, agent: 7 }], 3);
        assert_eq!((window.painter_count(), window.top_painters(1).len()), (0, 0));
    }
}
