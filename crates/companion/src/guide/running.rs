//! The turns that run in this process, each with its events so far, so that several streams can follow one
//! turn.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::events::TurnEvent;

/// The events of a turn so far.
pub(super) type TurnEvents = watch::Receiver<Vec<TurnEvent>>;

/// The running turns by the ids of their questions.
#[derive(Clone, Default)]
pub(super) struct RunningTurns(Arc<Mutex<HashMap<String, RunningTurn>>>);

/// A running turn, as others see it.
struct RunningTurn {
    events: TurnEvents,
    end: CancellationToken,
}

/// The events of a turn of this process. The turn counts as running until this is dropped.
pub(super) struct TurnLog {
    turns: RunningTurns,
    question: String,
    events: watch::Sender<Vec<TurnEvent>>,
    end: CancellationToken,
}

impl RunningTurns {
    /// Adds a turn.
    pub(super) fn add(&self, question: &str) -> TurnLog {
        let (events, receiver) = watch::channel(Vec::new());
        let end = CancellationToken::new();
        let running = RunningTurn { events: receiver, end: end.clone() };
        self.0.lock().insert(question.to_owned(), running);
        TurnLog { turns: self.clone(), question: question.to_owned(), events, end }
    }

    /// Ends a turn whose question was deleted, if this process runs it.
    pub(super) fn end(&self, question: &str) {
        if let Some(running) = self.0.lock().get(question) {
            running.end.cancel();
        }
    }

    /// Returns the events of a running turn; `None` if this process does not run it.
    pub(super) fn find(&self, question: &str) -> Option<TurnEvents> {
        self.0.lock().get(question).map(|running| running.events.clone())
    }
}

impl TurnLog {
    /// Adds an event.
    pub(super) fn push(&self, event: TurnEvent) {
        self.events.send_modify(|events| events.push(event));
    }

    /// Adds text to the answer.
    pub(super) fn push_text(&self, text: &str) {
        self.push(TurnEvent::Delta { text: text.to_owned() });
    }

    /// Completes when [`RunningTurns::end`] ends the turn.
    pub(super) async fn ended(&self) {
        self.end.cancelled().await;
    }

    /// Returns the events so far and to come.
    pub(super) fn follow(&self) -> TurnEvents {
        self.events.subscribe()
    }
}

impl Drop for TurnLog {
    fn drop(&mut self) {
        let mut turns = self.turns.0.lock();
        // Another turn may have taken the place of this one.
        if turns.get(&self.question).is_some_and(|running| running.events.same_channel(&self.follow())) {
            turns.remove(&self.question);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn late_followers_see_all_events_and_the_end() {
        let turns = RunningTurns::default();
        let log = turns.add("guidemsg_1");
        log.push_text("a");
        let mut follower = turns.find("guidemsg_1").unwrap();
        log.push_text("b");
        assert_eq!(follower.borrow_and_update().len(), 2);
        drop(log);
        assert!(follower.changed().await.is_err() && turns.find("guidemsg_1").is_none());
    }

    #[test]
    fn the_end_of_a_turn_leaves_the_next_one_of_its_question() {
        let turns = RunningTurns::default();
        let first = turns.add("guidemsg_1");
        let second = turns.add("guidemsg_1");
        drop(first);
        assert!(turns.find("guidemsg_1").is_some());
        drop(second);
        assert!(turns.find("guidemsg_1").is_none());
    }
}
