//! Changes of the events in memory, so that resuming streams receive texts and plans only as they may be
//! shown now.

use std::sync::Arc;

use rules::message::Message;
use rules::plan::record::PlanRecord;

use super::HubState;
use crate::event::{Event, TextEdit};

impl HubState {
    /// Forgets all events if a plan was taken down or brought back: messages that name it are then read from
    /// the log.
    pub(super) fn set_plan_hidden(&mut self, plan: &PlanRecord) {
        let hidden = &mut self.hidden_plans;
        let is_changed = if plan.is_hidden { hidden.insert(plan.no) } else { hidden.remove(&plan.no) };
        if is_changed {
            self.recent.clear();
        }
    }

    /// Updates a message in memory, so that a resuming stream receives it as it may be shown now. An
    /// operator's decision also ends its folding.
    pub(super) fn set_hidden(&mut self, message_id: &str, hidden: bool) {
        if let Some(message) = self.messages_mut().rfind(|message| message.id == message_id) {
            let message = Arc::make_mut(message);
            (message.hidden, message.folded) = (hidden, false);
        }
        self.edits_mut(message_id).for_each(|edit| edit.hidden = hidden);
        if hidden {
            self.forget_regions(message_id);
        }
    }

    /// Replaces the text of a message in memory, also in its earlier changes: a resuming stream receives the
    /// current one only.
    pub(super) fn set_text(&mut self, edit: &TextEdit) {
        if let Some(message) = self.messages_mut().rfind(|message| message.id == edit.message_id) {
            edit.apply_to(Arc::make_mut(message));
        }
        self.edits_mut(&edit.message_id).for_each(|earlier| earlier.content.clone_from(&edit.content));
    }

    /// Returns the changes of a message's text among the events in memory.
    fn edits_mut<'a>(&'a mut self, message_id: &'a str) -> impl Iterator<Item = &'a mut TextEdit> {
        self.recent.iter_mut().filter_map(move |event| match event {
            Event::Edited(edit) if edit.message_id == message_id => Some(edit),
            _ => None,
        })
    }

    /// Removes the regions of a hidden intent from the changes in memory.
    fn forget_regions(&mut self, message_id: &str) {
        for event in &mut self.recent {
            if let Event::Intent(change) = event
                && change.message_id == message_id
            {
                *change = change.clone().without_regions();
            }
        }
    }

    /// Returns the messages among the events in memory, oldest first.
    pub(super) fn messages_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut Arc<Message>> {
        self.recent.iter_mut().filter_map(|event| match event {
            Event::Chat(message) => Some(message),
            _ => None,
        })
    }
}
