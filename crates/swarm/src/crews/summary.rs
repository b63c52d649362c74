//! The result of a run with crews: its messages, its questions and how long they waited for their answers.

use std::time::Duration;

use serde::Serialize;

use crate::{
    crews::{
        CrewRun,
        api_types::{AskState, PrivateMessage},
        questions::AskedQuestion,
    },
    histogram::Histogram,
};

/// The result of a run with crews.
#[derive(Serialize, Default)]
pub struct CrewSummary {
    pub crews: usize,
    pub crew_messages: usize,
    pub direct_messages: usize,
    pub conversations: usize,
    /// Number of texts that all members together have read.
    pub read: usize,
    pub questions: QuestionCounts,
    pub answer_p50_ms: f64,
    pub answer_p95_ms: f64,
    /// The deliveries to webhooks; `None` if the agents have none.
    pub webhooks: Option<DeliveryCounts>,
}

/// The numbers of questions by their final state.
#[derive(Serialize, Default, Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuestionCounts {
    pub asked: usize,
    pub answered: usize,
    pub declined: usize,
    pub expired: usize,
    pub waiting: usize,
}

/// The numbers of deliveries.
#[derive(Serialize, Default, Clone, Copy)]
pub struct DeliveryCounts {
    /// Number of different deliveries.
    pub received: usize,
    /// Number of deliveries that came again under the same id.
    pub repeated: usize,
}

/// The questions of a run with the times until their answers.
#[derive(Default)]
pub struct QuestionTimes {
    counts: QuestionCounts,
    answer_times: Histogram,
}

impl QuestionTimes {
    /// Adds a question as its asker reads it at the end.
    pub fn add(&mut self, question: &AskedQuestion, message: &PrivateMessage) {
        let counts = &mut self.counts;
        counts.asked += 1;
        match message.ask.as_ref().map(|ask| ask.state) {
            Some(AskState::Answered) => counts.answered += 1,
            Some(AskState::Declined) => counts.declined += 1,
            Some(AskState::Expired) => counts.expired += 1,
            Some(AskState::Waiting) | None => counts.waiting += 1,
        }
        if let Some(time) = answer_time(question, message) {
            self.answer_times.add(time);
        }
    }
}

/// Returns the time from a question to its answer by the server's clock; `None` if it was not answered.
fn answer_time(question: &AskedQuestion, message: &PrivateMessage) -> Option<Duration> {
    (message.answered_at()? - question.asked_at).to_std().ok()
}

impl CrewSummary {
    /// Returns the summary of a run.
    pub fn new(run: &CrewRun, read: usize, times: &QuestionTimes) -> Self {
        let messages = run.ledger.messages();
        let is_crew = |id: &str| run.crews.iter().any(|crew| crew.id == id);
        let crew_messages = messages.iter().filter(|message| is_crew(&message.channel_id)).count();
        let webhooks = run.deliveries.as_ref().map(|deliveries| {
            deliveries
                .read(|record| DeliveryCounts { received: record.id_count(), repeated: record.repeated })
        });
        CrewSummary {
            crews: run.crews.len(),
            crew_messages,
            direct_messages: messages.len() - crew_messages,
            conversations: run.ledger.conversations().len(),
            read,
            questions: times.counts,
            answer_p50_ms: times.answer_times.percentile_ms(0.5),
            answer_p95_ms: times.answer_times.percentile_ms(0.95),
            webhooks,
        }
    }

    /// Prints the summary.
    pub fn print(&self) {
        let Self { crews, crew_messages, direct_messages, conversations, read, .. } = self;
        println!("crews           {crews}, {crew_messages} messages in their channels");
        println!(
            "                {direct_messages} direct messages in {conversations} conversations, {read} texts read"
        );
        let QuestionCounts { asked, answered, declined, expired, waiting } = self.questions;
        println!(
            "questions       {asked}: {answered} answered, {declined} declined, {expired} expired, {waiting} waiting"
        );
        println!(
            "                time to answer: median {:.0} ms, 95th percentile {:.0} ms",
            self.answer_p50_ms, self.answer_p95_ms
        );
        if let Some(DeliveryCounts { received, repeated }) = self.webhooks {
            println!("webhooks        {received} deliveries, {repeated} of them came again");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_counted_by_their_state_and_timed_by_the_server() {
        let question = AskedQuestion::example();
        let message = |state: &str, receipts: &str| {
            let json = format!(
                r#"{{"id":"msg_a","agent_id":"a","timestamp":"1970-01-01T00:00:00Z","receipts":[{receipts}],
                    "ask":{{"to":"b","by":"1970-01-01T00:01:00Z","state":"{state}"}}}}"#
            );
            serde_json::from_str::<PrivateMessage>(&json).unwrap()
        };
        let mut times = QuestionTimes::default();
        times
            .add(&question, &message("answered", r#"{"agent_id":"b","answered_at":"1970-01-01T00:00:02Z"}"#));
        times.add(&question, &message("expired", r#"{"agent_id":"b","answered_at":null}"#));
        assert_eq!(
            times.counts,
            QuestionCounts { asked: 2, answered: 1, expired: 1, ..QuestionCounts::default() }
        );
        assert_eq!((times.answer_times.count(), times.answer_times.percentile_ms(0.5)), (1, 2_000.0));
    }
}
