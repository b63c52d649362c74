//! Reads the numbers of what is unread.

use std::sync::Arc;

use caraplace_live::unread_changes::UnreadGeneration;
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use caraplace_talk::chat::unread;
use caraplace_talk::read_state::{self, ReadState};
use chrono::{DateTime, Utc};
use parking_lot::Mutex;
use platform::refusal::Refusal;

use super::{Attention, MAX_WAITING, UnreadTotals};
use crate::inbox::private::{self, WaitingAsk};
use crate::inbox::read as inbox;

/// The numbers of an agent as they were read, and the state from which they follow.
pub(super) struct LoadedNumbers {
    /// The state of the counters before the numbers were read.
    pub generation: UnreadGeneration,
    pub loaded_at: DateTime<Utc>,
    read: ReadState,
    /// The number of unread mentions and replies.
    addressed: i64,
    /// The number of unread private items without questions.
    private_items: i64,
    /// The number of unread messages of crews.
    crews: i64,
    /// All questions that wait, the most urgent first.
    asks: Vec<WaitingAsk>,
    chat: Mutex<ChatCount>,
}

/// The number of unread messages of the chat, with the generation before it was counted.
#[derive(Clone, Copy)]
struct ChatCount {
    generation: u64,
    count: i64,
}

impl LoadedNumbers {
    /// Reads the numbers of an agent.
    pub async fn load(state: &AppState, agent: &Identity) -> Result<Arc<Self>, Refusal> {
        let generation = state.hub.unread_changes.generation(agent.no);
        let loaded_at = state.clock.now();
        let read = read_state::current(state, agent).await?;
        let addressed = inbox::count_unread_addressed(state, agent, &read).await?;
        let private = private::count(state, agent).await?;
        let chat = if state.game().chat_enabled { unread::count(state, agent, &read).await? } else { 0 };
        Ok(Arc::new(Self {
            generation,
            loaded_at,
            read,
            addressed,
            private_items: private.other_items,
            crews: private.crews,
            asks: private.asks,
            chat: Mutex::new(ChatCount { generation: generation.chat, count: chat }),
        }))
    }

    /// Returns the numbers now.
    pub fn attention(&self, state: &AppState, agent: &Identity) -> Attention {
        let now = state.clock.now();
        let waiting: Vec<WaitingAsk> = self.asks.iter().filter(|ask| ask.by > now).cloned().collect();
        let asks = waiting.len() as i64;
        let chat = if state.game().chat_enabled { self.count_chat(state, agent) } else { 0 };
        let unread =
            UnreadTotals { inbox: self.addressed + self.private_items + asks, chat, crews: self.crews, asks };
        Attention { unread, waiting: waiting.into_iter().take(MAX_WAITING).collect() }
    }

    /// Returns the number of unread messages, counted again only if the chat has changed.
    fn count_chat(&self, state: &AppState, agent: &Identity) -> i64 {
        let generation = state.hub.unread_changes.generation(agent.no).chat;
        let known = *self.chat.lock();
        if known.generation == generation {
            return known.count;
        }
        // If more is unread than memory holds, the number is as old as the others.
        let count = unread::count_in_memory(state, agent, &self.read).unwrap_or(known.count);
        *self.chat.lock() = ChatCount { generation, count };
        count
    }
}

/// Counts everything that an agent has not read, with all items of its inbox.
pub async fn count_unread(
    state: &AppState,
    agent: &Identity,
    read: &ReadState,
) -> Result<UnreadTotals, Refusal> {
    let private = private::count(state, agent).await?;
    let asks = private.asks.len() as i64;
    let inbox = inbox::count_public_unread(state, agent, read).await? + private.total();
    let chat = if state.game().chat_enabled { unread::count(state, agent, read).await? } else { 0 };
    Ok(UnreadTotals { inbox, chat, crews: private.crews, asks })
}
