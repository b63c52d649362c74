//! Who did how much in a stretch of the log. The stretch moves on with the log, and only what enters or leaves is read.

use std::collections::{HashMap, VecDeque};

use super::Done;
use super::store::{self, Painted, Spoken};
use crate::state::AppState;

/// How many events are read at a time, so that a long season never keeps the database busy with one statement.
const PAGE: i64 = 250_000;

/// What is counted of the events after one number, up to another.
#[derive(Default)]
pub struct Window {
    after: i64,
    up_to: i64,
    agents: HashMap<i64, Done>,
    /// Oldest first. Kept here because texts may be deleted before they leave.
    spoken: VecDeque<Spoken>,
}

impl Window {
    /// Moves both ends forward. What was read stays if a later part cannot be.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn slide(&mut self, state: &AppState, after: i64, up_to: i64) -> Result<(), sqlx::Error> {
        if after >= self.up_to {
            *self = Self { after, up_to: after, ..Self::default() };
        }
        while self.after < after {
            let next = after.min(self.after + PAGE);
            let _turn = state.scan().await;
            let painted = store::painted(&state.pool, self.after, next).await?;
            self.leave(&painted, next);
        }
        while self.up_to < up_to {
            let next = up_to.min(self.up_to + PAGE);
            let _turn = state.scan().await;
            let painted = store::painted(&state.pool, self.up_to, next).await?;
            let spoken = store::spoken(&state.pool, self.up_to, next).await?;
            self.enter(&painted, &spoken, next);
        }
        Ok(())
    }

    /// Where the window begins.
    pub fn after(&self) -> i64 {
        self.after
    }

    /// How many agents painted.
    pub fn painters(&self) -> usize {
        self.agents.values().filter(|done| done.pixels > 0).count()
    }

    /// Those who painted most, first the most.
    pub fn best(&self, count: usize) -> Vec<(i64, Done)> {
        let mut painters: Vec<_> = self.agents.iter().filter(|(_, done)| done.pixels > 0).collect();
        painters.sort_unstable_by_key(|(_, done)| (-done.pixels, done.latest));
        painters.into_iter().take(count).map(|(agent, done)| (*agent, *done)).collect()
    }

    fn enter(&mut self, painted: &[Painted], spoken: &[Spoken], up_to: i64) {
        for part in painted {
            let done = self.agents.entry(part.agent).or_default();
            done.pixels += part.pixels;
            done.latest = part.latest;
        }
        for message in spoken {
            self.agents.entry(message.agent).or_default().messages += 1;
        }
        self.spoken.extend(spoken);
        self.up_to = up_to;
    }

    fn leave(&mut self, painted: &[Painted], after: i64) {
        for part in painted {
            self.less(part.agent, |done| done.pixels -= part.pixels);
        }
        while let Some(message) = self.spoken.pop_front_if(|message| message.seq <= after) {
            self.less(message.agent, |done| done.messages -= 1);
        }
        self.after = after;
    }

    fn less(&mut self, agent: i64, take: impl FnOnce(&mut Done)) {
        let Some(done) = self.agents.get_mut(&agent) else { return };
        take(done);
        if done.pixels == 0 && done.messages == 0 {
            self.agents.remove(&agent);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn painted(agent: i64, pixels: i64, latest: i64) -> Painted {
        Painted { agent, pixels, latest }
    }

    #[test]
    fn events_outside_the_window_are_not_counted() {
        let mut window = Window::default();
        window.enter(&[painted(1, 3, 9), painted(2, 1, 4)], &[Spoken { seq: 5, agent: 2 }], 10);
        window.enter(&[painted(2, 1, 12)], &[], 12);
        assert_eq!(
            window.best(9),
            [
                (1, Done { pixels: 3, latest: 9, messages: 0 }),
                (2, Done { pixels: 2, latest: 12, messages: 1 })
            ]
        );
        window.leave(&[painted(1, 2, 3), painted(2, 1, 4)], 5);
        assert_eq!(
            window.best(9),
            [
                (1, Done { pixels: 1, latest: 9, messages: 0 }),
                (2, Done { pixels: 1, latest: 12, messages: 0 })
            ]
        );
        window.leave(&[painted(1, 1, 9)], 10);
        assert_eq!((window.best(9).len(), window.painters(), window.after()), (1, 1, 10));
    }

    #[test]
    fn agents_without_placements_are_not_painters() {
        let mut window = Window::default();
        window.enter(&[], &[Spoken { seq: 2, agent: 7 }], 3);
        assert_eq!((window.painters(), window.best(1).len()), (0, 0));
    }
}
