//! The items of an inbox that have no event: questions, their outcomes, unread conversations and crews, invitations and
//! webhooks. They are listed until they are read, and marked only as far as they were delivered.

mod marks;
mod store;

use std::cmp::Reverse;

use chrono::{DateTime, Utc};
use rules::private_message::{AskState, Importance as MessageImportance};
use serde::Serialize;
use utoipa::ToSchema;

use super::item::{Importance, InboxItem, InboxItemKind, ItemState};
use crate::channels::unread::UnreadChannel;
use crate::channels::{PrivateMessage, unread};
use crate::log::key_cache::Agent;
use crate::refusal::Refusal;
use crate::state::AppState;
use crate::webhooks::disabled::{self, DisabledReason, DisabledWebhook};
pub use marks::{PrivateReads, mark_read, record_delivery};
use store::{Notice, NoticeKind};

/// The maximum number of private items in a page.
const MAX_ITEMS: usize = 20;

/// A question that waits for the agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct WaitingAsk {
    /// `msg_…`. Answer with it as `reply_to`, or decline with `POST /api/asks/{message_id}`.
    pub message_id: String,
    /// The id of the account that asks.
    pub from: String,
    /// The time until which the question waits.
    pub by: DateTime<Utc>,
}

/// The numbers of private items.
#[derive(Clone, Debug, Default)]
pub struct PrivateItemCounts {
    /// All items but the questions that wait.
    pub items: i64,
    /// Unread direct messages.
    pub direct: i64,
    /// Unread messages of crews.
    pub crews: i64,
    /// The questions that wait, the most urgent first.
    pub asks: Vec<WaitingAsk>,
}

/// The private items of an inbox.
#[derive(Clone, Debug, Default)]
pub struct PrivateItems {
    /// First the questions that wait, the most urgent first, then the others, newest first; at most 20.
    pub items: Vec<InboxItem>,
    pub counts: PrivateItemCounts,
}

impl PrivateItemCounts {
    /// Returns the number of items.
    pub fn total(&self) -> i64 {
        self.items + self.asks.len() as i64
    }
}

/// Counts the private items of an account.
///
/// # Errors
/// Returns the error of the database.
pub async fn count(state: &AppState, account: &Agent) -> Result<PrivateItemCounts, Refusal> {
    // Most agents have nothing private, and this is asked at each of their first requests.
    if !store::may_have_items(&state.pool, account.no).await? {
        return Ok(PrivateItemCounts::default());
    }
    let private = unread::count(state, account).await?;
    let notices = store::notices(&state.pool, account.no, state.clock.now()).await?;
    let webhooks = disabled::list_untold(state, account).await?;
    Ok(PrivateItemCounts {
        items: private.channels + (notices.len() + webhooks.len()) as i64,
        direct: private.direct,
        crews: private.crews,
        asks: to_waiting_asks(&sort_by_urgency(private.waiting)),
    })
}

/// Finds the private items of an account. `head` is the number that they are given.
///
/// # Errors
/// Returns the error of the database.
pub async fn find_news(state: &AppState, account: &Agent, head: i64) -> Result<PrivateItems, Refusal> {
    let news = unread::find_news(state, account).await?;
    let notices = store::notices(&state.pool, account.no, state.clock.now()).await?;
    let webhooks = disabled::list_untold(state, account).await?;
    let asks = sort_by_urgency(news.waiting);
    let sum = |is_crew: bool| {
        let counted = news.channels.iter().filter(|channel| channel.crew_name.is_some() == is_crew);
        counted.map(|channel| channel.count).sum()
    };
    let counts = PrivateItemCounts {
        items: (news.channels.len() + notices.len() + webhooks.len()) as i64,
        direct: sum(false),
        crews: sum(true),
        asks: to_waiting_asks(&asks),
    };
    let channels = news.channels.into_iter().map(|channel| channel_item(channel, head));
    let notices = notices.into_iter().filter_map(|notice| notice_item(notice, &news.outcomes, head));
    let webhooks = webhooks.into_iter().map(|webhook| webhook_item(webhook, head));
    let mut others: Vec<InboxItem> = channels.chain(notices).chain(webhooks).collect();
    others.sort_by_key(|item| Reverse(item.time));
    let items = asks.into_iter().map(|message| ask_item(message, head)).chain(others);
    Ok(PrivateItems { items: items.take(MAX_ITEMS).collect(), counts })
}

/// Sorts questions: the most important first, of equally important ones the one that ends first.
fn sort_by_urgency(mut asks: Vec<PrivateMessage>) -> Vec<PrivateMessage> {
    asks.sort_by_key(|message| (Reverse(message.importance), message.ask.as_ref().map(|ask| ask.by)));
    asks
}

fn to_waiting_asks(asks: &[PrivateMessage]) -> Vec<WaitingAsk> {
    let to_waiting = |message: &PrivateMessage| {
        let (message_id, from) = (message.id.clone(), message.agent_id.to_string());
        Some(WaitingAsk { message_id, from, by: message.ask.as_ref()?.by })
    };
    asks.iter().filter_map(to_waiting).collect()
}

fn ask_item(message: PrivateMessage, head: i64) -> InboxItem {
    let mut item = InboxItem::new_private(InboxItemKind::Ask, &message.id, head, message.timestamp);
    item.set_private_message(message);
    item.importance = Importance::High;
    item
}

fn channel_item(UnreadChannel { id, crew_name, count, newest }: UnreadChannel, head: i64) -> InboxItem {
    let kind = if crew_name.is_some() { InboxItemKind::Crew } else { InboxItemKind::Direct };
    let mut item = InboxItem::new_private(kind, &id, head, newest.timestamp);
    item.count = i32::try_from(count).ok();
    item.crew_name = crew_name.map(|name| name.to_string());
    item.set_private_message(newest);
    item
}

/// Returns the item of a notice; `None` if its question was deleted just now.
fn notice_item(notice: Notice, outcomes: &[PrivateMessage], head: i64) -> Option<InboxItem> {
    let Notice { kind, subject, at, name } = notice;
    let kind = match kind {
        NoticeKind::Answer => InboxItemKind::Answer,
        NoticeKind::Invite => InboxItemKind::Invite,
    };
    let mut item = InboxItem::new_private(kind, &subject, head, at);
    match kind {
        InboxItemKind::Answer => {
            let message = outcomes.iter().find(|message| message.id == subject)?;
            item.state = outcome(message.ask.as_ref()?.state);
            item.set_private_message(message.clone());
        }
        _ => (item.crew_id, item.crew_name) = (Some(subject), name),
    }
    Some(item)
}

fn webhook_item(webhook: DisabledWebhook, head: i64) -> InboxItem {
    let DisabledWebhook { id, disabled_at, reason, .. } = webhook;
    let mut item = InboxItem::new_private(InboxItemKind::Webhook, &id, head, disabled_at);
    item.state = Some(match reason {
        DisabledReason::Gone => ItemState::Gone,
        DisabledReason::Failing => ItemState::Failing,
    });
    item.webhook_id = Some(id);
    item
}

fn outcome(state: AskState) -> Option<ItemState> {
    match state {
        AskState::Waiting => None,
        AskState::Answered => Some(ItemState::Answered),
        AskState::Declined => Some(ItemState::Declined),
        AskState::Expired => Some(ItemState::Expired),
    }
}

impl InboxItem {
    /// Sets the message of a private item, and its place.
    fn set_private_message(&mut self, message: PrivateMessage) {
        self.conversation_id = message.conversation_id.as_deref().map(str::to_owned);
        self.crew_id = message.crew_id.as_deref().map(str::to_owned);
        if message.importance > MessageImportance::Normal {
            self.importance = Importance::High;
        }
        self.private_message = Some(message.into());
    }
}
