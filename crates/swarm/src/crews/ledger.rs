//! All acknowledged private messages, what each agent has read, and the questions.

use std::collections::{BTreeMap, HashMap};

use parking_lot::Mutex;
use tokio::time::Instant;

use crate::crews::{
    api_types::NewPrivateMessages,
    questions::{AckedEnd, AskedQuestion},
};

/// An acknowledged private message.
#[derive(Clone, Debug)]
pub struct AckedPrivate {
    pub id: String,
    /// The id of the crew or of the conversation.
    pub channel_id: String,
    /// The author's index.
    pub agent: usize,
    /// The text, whose last word no other message contains.
    pub content: String,
    pub sent_at: Instant,
    pub acked_at: Instant,
}

/// The messages that an agent has read in a channel.
#[derive(Clone, Default, Debug, PartialEq, Eq)]
pub struct ReadProgress {
    /// The ids of the messages in the order in which they were served.
    pub received: Vec<String>,
    /// Number of these that the agent has certainly marked as read.
    pub acked: usize,
    /// The pointer after the newest of these.
    pub pointer: Option<String>,
}

impl ReadProgress {
    /// Adds the response to a request that marked everything up to the pointer as read.
    pub fn apply(&mut self, new: &NewPrivateMessages) {
        self.acked = self.received.len();
        self.received.extend(new.messages.iter().map(|message| message.id.clone()));
        self.pointer = Some(new.new_pointer.clone());
    }
}

/// The record of all private messages of a run.
#[derive(Default)]
pub struct PrivateLedger {
    messages: Mutex<Vec<AckedPrivate>>,
    /// The members of each conversation.
    conversations: Mutex<BTreeMap<String, [usize; 2]>>,
    progress: Mutex<HashMap<(usize, String), ReadProgress>>,
    questions: Mutex<Questions>,
}

#[derive(Default)]
struct Questions {
    asked: Vec<AskedQuestion>,
    /// The ends of questions that are not recorded yet: an answer may be acknowledged before the question is.
    early_ends: HashMap<String, AckedEnd>,
}

impl PrivateLedger {
    /// Records an acknowledged message.
    pub fn record(&self, message: AckedPrivate) {
        self.messages.lock().push(message);
    }

    /// Records a conversation of two agents.
    pub fn record_conversation(&self, id: &str, members: [usize; 2]) {
        self.conversations.lock().entry(id.to_owned()).or_insert(members);
    }

    /// Records an acknowledged question.
    pub fn record_question(&self, mut question: AskedQuestion) {
        let mut questions = self.questions.lock();
        question.end = question.end.or(questions.early_ends.remove(&question.message_id));
        questions.asked.push(question);
    }

    /// Records the acknowledged end of a question. Later ones do not count.
    pub fn record_end(&self, message_id: &str, end: AckedEnd) {
        let Questions { asked, early_ends } = &mut *self.questions.lock();
        match asked.iter_mut().find(|question| question.message_id == message_id) {
            Some(question) => _ = question.end.get_or_insert(end),
            None => _ = early_ends.entry(message_id.to_owned()).or_insert(end),
        }
    }

    /// Returns true if a question of this agent may still be answered.
    pub fn has_open_question(&self, asker: usize, now: Instant) -> bool {
        self.questions.lock().asked.iter().any(|question| question.asker == asker && question.is_open(now))
    }

    /// Returns true if any question may still be answered.
    pub fn has_open_questions(&self, now: Instant) -> bool {
        self.questions.lock().asked.iter().any(|question| question.is_open(now))
    }

    /// Returns what an agent has read in a channel.
    pub fn progress(&self, agent: usize, channel_id: &str) -> ReadProgress {
        self.progress.lock().get(&(agent, channel_id.to_owned())).cloned().unwrap_or_default()
    }

    /// Records the new messages of a channel that an agent has read.
    pub fn record_read(&self, agent: usize, channel_id: &str, new: &NewPrivateMessages) {
        self.progress.lock().entry((agent, channel_id.to_owned())).or_default().apply(new);
    }

    /// Returns the acknowledged messages.
    pub fn messages(&self) -> Vec<AckedPrivate> {
        self.messages.lock().clone()
    }

    /// Returns the conversations with their members.
    pub fn conversations(&self) -> BTreeMap<String, [usize; 2]> {
        self.conversations.lock().clone()
    }

    /// Returns the questions.
    pub fn questions(&self) -> Vec<AskedQuestion> {
        self.questions.lock().asked.clone()
    }

    /// Returns the number of acknowledged messages of each agent.
    pub fn counts_by_agent(&self) -> BTreeMap<usize, u64> {
        let mut counts = BTreeMap::new();
        for message in self.messages.lock().iter() {
            *counts.entry(message.agent).or_default() += 1;
        }
        counts
    }
}

impl AckedPrivate {
    /// Returns the word that only this message contains.
    pub fn tag(&self) -> &str {
        self.content.rsplit(' ').next().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crews::api_types::PrivateMessage;

    #[test]
    fn an_end_counts_that_is_acknowledged_before_its_question() {
        let ledger = PrivateLedger::default();
        ledger.record_end("msg_a", AckedEnd::Declined);
        ledger.record_question(AskedQuestion::example());
        assert_eq!(ledger.questions()[0].end, Some(AckedEnd::Declined));
    }

    #[test]
    fn a_response_acknowledges_what_came_before() {
        let message = |id: &str| {
            let json = format!(r#"{{"id":"{id}","agent_id":"a","timestamp":"2026-01-01T00:00:00Z"}}"#);
            serde_json::from_str::<PrivateMessage>(&json).unwrap()
        };
        let mut progress = ReadProgress::default();
        let new =
            |messages, pointer: &str| NewPrivateMessages { messages, new_pointer: pointer.into(), unread: 0 };
        progress.apply(&new(vec![message("a"), message("b")], "b"));
        assert_eq!((progress.received.len(), progress.acked), (2, 0));
        progress.apply(&new(vec![message("c")], "c"));
        assert_eq!((progress.received.len(), progress.acked), (3, 2));
        assert_eq!(progress.pointer.as_deref(), Some("c"));
    }
}
