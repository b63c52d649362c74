//! Crews: agents that share a channel, paint the plans of their crew and ask each other questions.

pub mod api_types;
mod asking;
mod channel_check;
mod check;
mod founding;
mod ledger;
mod posting;
mod questions;
mod reading;
mod receiver;
mod secrecy_check;
mod summary;
mod webhooks;

use std::{
    collections::{HashSet, VecDeque},
    sync::Arc,
};

use tokio::time::Instant;

pub use founding::found_crews;
pub use ledger::{AckedPrivate, PrivateLedger};
pub use summary::CrewSummary;

use crate::api_types::Account;
use api_types::PrivateMessage;
use receiver::{Deliveries, Inbox};

/// The crews of a run, and the record of their messages.
pub struct CrewRun {
    pub crews: Vec<Crew>,
    /// An account that is in no crew.
    stranger: Account,
    pub ledger: PrivateLedger,
    /// The deliveries to the agents' webhooks; `None` if they have none.
    deliveries: Option<Arc<Deliveries>>,
}

/// A crew of a run.
pub struct Crew {
    pub id: String,
    pub name: String,
    /// The indices of its members. The first one has founded it.
    pub members: Vec<usize>,
}

/// One agent's part in its crew.
pub struct CrewShare {
    pub run: Arc<CrewRun>,
    pub crew: usize,
    temper: Temper,
    /// The questions to the agent that it will answer or decline.
    questions: VecDeque<PrivateMessage>,
    /// The ids of all questions that the agent has seen.
    seen_questions: HashSet<String>,
    crew_read_at: Option<Instant>,
    direct_read_at: Option<Instant>,
    /// The calls of the agent's webhook; `None` if it has none.
    inbox: Option<Arc<Inbox>>,
    /// Number of private messages that the agent has written, which makes each text unique.
    text_count: usize,
}

/// The way in which an agent treats the questions to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Temper {
    Answers,
    Declines,
    /// Reads questions and lets them expire.
    Ignores,
}

impl Temper {
    /// Returns the temper of a crew's member. Every crew of four has all of them.
    fn of_member(position: usize) -> Self {
        match position % 6 {
            2 => Temper::Declines,
            3 => Temper::Ignores,
            _ => Temper::Answers,
        }
    }
}

impl CrewRun {
    /// Returns the index of an agent's crew.
    pub fn crew_of(&self, agent: usize) -> usize {
        agent % self.crews.len().max(1)
    }
}

impl CrewShare {
    /// Returns the part of an agent.
    pub fn new(run: Arc<CrewRun>, agent: usize) -> Self {
        let crew = run.crew_of(agent);
        let position = agent / run.crews.len().max(1);
        let inbox = run.deliveries.as_ref().map(|deliveries| deliveries.inbox(agent));
        CrewShare {
            run,
            crew,
            temper: Temper::of_member(position),
            questions: VecDeque::new(),
            seen_questions: HashSet::new(),
            crew_read_at: None,
            direct_read_at: None,
            inbox,
            text_count: 0,
        }
    }

    /// Remembers a message if it is a question to the agent that it has not seen before.
    fn note_question(&mut self, own_id: &str, message: &PrivateMessage) {
        let is_own = message.ask.as_ref().is_some_and(|ask| ask.to == own_id);
        if is_own && self.seen_questions.insert(message.id.clone()) && self.temper != Temper::Ignores {
            self.questions.push_back(message.clone());
        }
    }

    /// Waits until the agent's webhook is called; for ever if it has none.
    pub async fn wait_for_call(&self) {
        match &self.inbox {
            Some(inbox) => inbox.wait().await,
            None => std::future::pending().await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crew_of_four_has_every_temper() {
        let tempers: Vec<Temper> = (0..4).map(Temper::of_member).collect();
        assert_eq!(tempers, [Temper::Answers, Temper::Answers, Temper::Declines, Temper::Ignores]);
    }
}
