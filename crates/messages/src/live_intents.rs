//! The live intents of the season, in memory: open, not expired, not hidden.

use std::collections::VecDeque;
use std::sync::Arc;

use caraplace_live::event::TextEdit;
use chrono::{DateTime, Utc};
use rules::grid::{Rect, Size};
use rules::intent::IntentDetails;
use rules::message::Message;
use rules::numbers::Seq;

/// The maximum number of live intents in memory; the oldest are dropped.
pub(crate) const MAX_LIVE_INTENTS: usize = 1_000;

/// An intent that was live when it was last changed.
#[derive(Clone, Debug)]
pub struct LiveIntent {
    pub message: Arc<Message>,
    /// The announced regions; empty if the text alone says where.
    pub regions: Vec<Rect>,
    pub expires_at: DateTime<Utc>,
}

impl LiveIntent {
    /// Returns a message as a live intent, or `None` if it is none or not open.
    pub fn new(message: &Arc<Message>, size: Size) -> Option<Self> {
        let IntentDetails { regions, expires_at, .. } = message.intent.as_ref()?;
        let regions = regions.iter().filter_map(|corners| size.rect(*corners)).collect();
        let intent = Self { message: message.clone(), regions, expires_at: *expires_at };
        message.intent.as_ref().filter(|details| details.is_live(message.timestamp)).map(|_| intent)
    }
}

/// The intents of a season that have not been ended, oldest first.
#[derive(Debug, Default)]
pub(super) struct LiveIntents(VecDeque<Arc<LiveIntent>>);

impl LiveIntents {
    /// Returns those that have not expired, newest first.
    pub(super) fn iter(&self, now: DateTime<Utc>) -> impl Iterator<Item = &Arc<LiveIntent>> {
        self.0.iter().rev().filter(move |intent| now < intent.expires_at)
    }

    /// Adds a message if it is an open intent, and drops those that had expired when it was posted.
    pub(super) fn push(&mut self, message: &Arc<Message>, size: Size) {
        let Some(intent) = LiveIntent::new(message, size) else { return };
        self.0.retain(|earlier| message.timestamp < earlier.expires_at);
        if self.0.len() == MAX_LIVE_INTENTS {
            self.0.pop_front();
        }
        self.0.push_back(intent.into());
    }

    /// Replaces the details of an intent, and removes it if it was ended.
    pub(super) fn change(&mut self, message_id: &str, details: &IntentDetails, size: Size) {
        let Some(index) = self.0.iter().position(|intent| intent.message.id == message_id) else { return };
        let message = Message { intent: Some(details.clone()), ..Message::clone(&self.0[index].message) };
        match LiveIntent::new(&Arc::new(message), size) {
            Some(changed) => self.0[index] = changed.into(),
            None => drop(self.0.remove(index)),
        }
    }

    /// Replaces the text of an intent.
    pub(super) fn set_text(&mut self, edit: &TextEdit) {
        if let Some(intent) = self.0.iter_mut().find(|intent| intent.message.id == edit.message_id) {
            edit.apply_to(Arc::make_mut(&mut Arc::make_mut(intent).message));
        }
    }

    /// Removes the intent of a hidden message.
    pub(super) fn remove(&mut self, message_id: &str) {
        self.0.retain(|intent| intent.message.id != message_id);
    }

    /// Folds or unfolds the intent with this sequence number.
    pub(super) fn set_folded(&mut self, seq: Seq, folded: bool) {
        for intent in self.0.iter_mut().filter(|intent| intent.message.seq == seq) {
            Arc::make_mut(&mut Arc::make_mut(intent).message).folded = folded;
        }
    }

    /// Sets the name of an author.
    pub(super) fn rename_author(&mut self, author: &Arc<str>, name: &Arc<str>) {
        for intent in self.0.iter_mut().filter(|intent| intent.message.agent_id.as_ref() == Some(author)) {
            Arc::make_mut(&mut Arc::make_mut(intent).message).agent_name = name.clone();
        }
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use rules::grid::{Corners, Point};
    use rules::intent::IntentState;
    use rules::message::MessageType;

    use super::*;

    const SIZE: Size = Size { width: 8, height: 8 };

    fn at(minutes: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + TimeDelta::minutes(minutes)
    }

    fn details(state: IntentState, expires_at: DateTime<Utc>) -> IntentDetails {
        IntentDetails { state, regions: vec![Corners { x1: 1, y1: 1, x2: 2, y2: 3 }], expires_at }
    }

    fn intent(id: &str, posted: i64, expires: i64) -> Arc<Message> {
        let intent = Some(details(IntentState::Open, at(expires)));
        let message = Message::from_system("A roof.".into(), at(posted));
        Arc::new(Message { id: id.into(), kind: MessageType::Intent, intent, ..message })
    }

    fn ids(intents: &LiveIntents, minutes: i64) -> Vec<String> {
        intents.iter(at(minutes)).map(|intent| intent.message.id.clone()).collect()
    }

    #[test]
    fn an_intent_is_listed_until_it_expires_newest_first() {
        let mut intents = LiveIntents::default();
        intents.push(&intent("msg_a", 0, 10), SIZE);
        intents.push(&intent("msg_b", 1, 5), SIZE);
        intents.push(&Arc::new(Message::from_system("No intent.".into(), at(1))), SIZE);
        assert_eq!(ids(&intents, 4), ["msg_b", "msg_a"]);
        assert_eq!(ids(&intents, 5), ["msg_a"]);
        let region = intents.iter(at(0)).next().unwrap().regions[0];
        assert!(region.contains(Point { x: 2, y: 3 }) && !region.contains(Point { x: 3, y: 3 }));
    }

    #[test]
    fn its_author_extends_or_ends_it() {
        let mut intents = LiveIntents::default();
        intents.push(&intent("msg_a", 0, 10), SIZE);
        intents.push(&intent("msg_b", 0, 10), SIZE);
        intents.change("msg_a", &details(IntentState::Open, at(20)), SIZE);
        intents.change("msg_b", &details(IntentState::Done, at(10)), SIZE);
        intents.change("msg_c", &details(IntentState::Done, at(10)), SIZE);
        assert_eq!(ids(&intents, 11), ["msg_a"]);
        intents.remove("msg_a");
        assert!(ids(&intents, 0).is_empty());
    }

    #[test]
    fn memory_is_bounded() {
        let mut intents = LiveIntents::default();
        for number in 0..=MAX_LIVE_INTENTS {
            intents.push(&intent(&format!("msg_{number}"), 0, 10), SIZE);
        }
        assert_eq!(ids(&intents, 0).len(), MAX_LIVE_INTENTS);
        intents.push(&intent("msg_late", 10, 20), SIZE);
        assert_eq!(intents.0.len(), 1, "expired intents are dropped");
    }
}
