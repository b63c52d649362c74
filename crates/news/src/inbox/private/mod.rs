//! The items of an inbox that have no event: questions, their outcomes, unread conversations and crews,
//! invitations and webhooks. They are listed until they are read, and marked only as far as they were
//! delivered.

mod marks;
mod mentions;
mod store;

use std::cmp::Reverse;

use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
pub use caraplace_talk::channels::WaitingAsk;
use caraplace_talk::channels::unread::UnreadChannel;
use caraplace_talk::channels::{PrivateMessage, unread};
use chrono::{DateTime, Utc};
use platform::refusal::Refusal;
use rules::numbers::{MessageNo, Seq};
use rules::private_message::AskState;

use super::item::{Importance, InboxItem, InboxItemKind, ItemState};
use super::threads::InboxThread;
use crate::webhooks::{DisabledReason, DisabledWebhook, disabled};
pub use marks::{PrivateReads, ShownItems, mark_read, record_delivery};
use store::{Notice, NoticeKind};

/// The maximum number of private items in a page.
const MAX_ITEMS: usize = 20;

/// The numbers of private items.
#[derive(Clone, Debug, Default)]
pub struct PrivateItemCounts {
    /// All items but the questions that wait.
    pub other_items: i64,
    /// Unread direct messages.
    pub direct: i64,
    /// Unread messages of crews.
    pub crews: i64,
    /// The crews and conversations with unread messages that mention the account.
    pub mentions: i64,
    /// The questions that wait, the most urgent first.
    pub asks: Vec<WaitingAsk>,
}

/// The private items of an inbox.
#[derive(Clone, Debug, Default)]
pub struct PrivateItems {
    /// The questions that wait, the most urgent first.
    asks: Vec<InboxItem>,
    /// The other items, newest first.
    others: Vec<InboxItem>,
    pub counts: PrivateItemCounts,
}

impl PrivateItemCounts {
    /// Returns the number of items.
    pub fn total(&self) -> i64 {
        self.other_items + self.asks.len() as i64
    }
}

impl PrivateItems {
    /// Returns the items of a page of at most `limit`, never more than 20: first questions, then others. Each
    /// kind may take the room that the other does not need, but no more than half if both need more.
    pub fn into_page(mut self, limit: usize) -> Vec<InboxItem> {
        let limit = limit.min(MAX_ITEMS);
        self.asks.truncate(limit - self.others.len().min(limit / 2));
        self.others.truncate(limit - self.asks.len());
        self.asks.into_iter().chain(self.others).collect()
    }
}

/// Counts the private items of an account.
pub async fn count(state: &AppState, account: &Identity) -> Result<PrivateItemCounts, Refusal> {
    // Most agents have nothing private, and this is asked at each of their first requests.
    if !store::may_have_items(&state.pool, account.no).await? {
        return Ok(PrivateItemCounts::default());
    }
    let private = unread::count(state, account).await?;
    let notices = find_notices(state, account).await?;
    let webhooks = disabled::list_unreported(state, account).await?;
    Ok(PrivateItemCounts {
        other_items: private.channels + private.mentions + (notices.len() + webhooks.len()) as i64,
        direct: private.direct,
        crews: private.crews,
        mentions: private.mentions,
        asks: private.waiting,
    })
}

/// Finds the private items of an account. `head` is the number that they are given.
pub async fn find_news(state: &AppState, account: &Identity, head: Seq) -> Result<PrivateItems, Refusal> {
    if !store::may_have_items(&state.pool, account.no).await? {
        return Ok(PrivateItems::default());
    }
    let news = unread::find_news(state, account).await?;
    let notices = find_notices(state, account).await?;
    let asked: Vec<MessageNo> = notices.iter().filter_map(|notice| notice.message).collect();
    let outcomes = unread::find_own_messages(state, account, &asked).await?;
    let webhooks = disabled::list_unreported(state, account).await?;
    let sum = |is_crew: bool| {
        let counted = news.channels.iter().filter(|channel| channel.crew_name.is_some() == is_crew);
        counted.map(|channel| channel.count).sum()
    };
    let direct = sum(false);
    let crews = sum(true);
    let mentions: Vec<InboxItem> =
        news.channels.iter().filter_map(|channel| mentions::mention_item(channel, head)).collect();
    let mention_count = mentions.len() as i64;
    let channels = news.channels.into_iter().map(|channel| channel_item(channel, head));
    let notices = notices.into_iter().filter_map(|notice| notice_item(notice, &outcomes, head));
    let webhooks = webhooks.into_iter().map(|webhook| webhook_item(webhook, head));
    let mut others: Vec<InboxItem> =
        mentions.into_iter().chain(channels).chain(notices).chain(webhooks).collect();
    others.sort_by_key(|item| Reverse(item.time));
    let waiting = news.waiting.iter().filter_map(to_waiting_ask).collect();
    let other_items = others.len() as i64;
    let counts = PrivateItemCounts { other_items, direct, crews, mentions: mention_count, asks: waiting };
    let asks = news.waiting.into_iter().map(|message| ask_item(message, head)).collect();
    Ok(PrivateItems { asks, others, counts })
}

/// Returns the time at which the next question of an account expires, which makes an item; `None` if none
/// waits for its answer.
pub(crate) async fn next_own_ask_end(
    state: &AppState,
    account: &Identity,
) -> Result<Option<DateTime<Utc>>, Refusal> {
    if !state.game().chat_enabled {
        return Ok(None);
    }
    Ok(store::next_own_ask_end(&state.pool, account.no, state.clock.now()).await?)
}

/// Returns the notices that an account has not read. While the chat is switched off, outcomes of questions
/// are left out, because their messages cannot be read.
async fn find_notices(state: &AppState, account: &Identity) -> Result<Vec<Notice>, Refusal> {
    let has_chat = state.game().chat_enabled;
    Ok(store::notices(&state.pool, account.no, state.clock.now(), has_chat).await?)
}

fn to_waiting_ask(message: &PrivateMessage) -> Option<WaitingAsk> {
    let message_id = message.id.clone();
    let from = message.agent_id.to_string();
    Some(WaitingAsk { message_id, from, by: message.ask.as_ref()?.by })
}

fn ask_item(message: PrivateMessage, head: Seq) -> InboxItem {
    let mut item = InboxItem::new_private(InboxItemKind::Ask, &message.id, head, message.timestamp);
    item.set_private_message(message);
    item.importance = Importance::High;
    item
}

fn channel_item(channel: UnreadChannel, head: Seq) -> InboxItem {
    let UnreadChannel { id, crew_name, count, newest, threads, thread_count, is_important, .. } = channel;
    let kind = if crew_name.is_some() { InboxItemKind::Crew } else { InboxItemKind::Direct };
    let mut item = InboxItem::new_private(kind, &id, head, newest.timestamp);
    item.count = i32::try_from(count).ok();
    item.crew_name = crew_name.map(|name| name.to_string());
    item.thread_count = Some(thread_count).filter(|count| *count > 0);
    item.threads = threads.into_iter().map(|thread| InboxThread::new(&id, thread)).collect();
    item.set_private_message(newest);
    if is_important {
        item.importance = Importance::High;
    }
    item
}

/// Returns the item of a notice; `None` if its question was deleted just now.
fn notice_item(notice: Notice, outcomes: &[PrivateMessage], head: Seq) -> Option<InboxItem> {
    let Notice { kind, subject, at, name, .. } = notice;
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

fn webhook_item(webhook: DisabledWebhook, head: Seq) -> InboxItem {
    let DisabledWebhook { id, disabled_at, reason, .. } = webhook;
    let mut item = InboxItem::new_private(InboxItemKind::Webhook, &id, head, disabled_at);
    item.state = Some(match reason {
        DisabledReason::Gone => ItemState::Gone,
        DisabledReason::Failing => ItemState::Failing,
        DisabledReason::SecretLost => ItemState::SecretLost,
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
        if !message.importance.is_normal() {
            self.importance = Importance::High;
        }
        self.private_message = Some(message.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(asks: usize, others: usize, limit: usize) -> (usize, usize) {
        let items = |kind, count: usize| {
            let item =
                |number| InboxItem::new_private(kind, &format!("msg_{number}"), Seq(1), DateTime::UNIX_EPOCH);
            (0..count).map(item).collect()
        };
        let asks = items(InboxItemKind::Ask, asks);
        let others = items(InboxItemKind::Direct, others);
        let items = PrivateItems { asks, others, counts: PrivateItemCounts::default() }.into_page(limit);
        let ask_count = items.iter().take_while(|item| item.kind == InboxItemKind::Ask).count();
        assert!(items.iter().skip(ask_count).all(|item| item.kind == InboxItemKind::Direct));
        (ask_count, items.len() - ask_count)
    }

    #[test]
    fn questions_and_other_items_leave_room_for_each_other() {
        assert_eq!(page(50, 0, 100), (20, 0));
        assert_eq!(page(50, 3, 100), (17, 3));
        assert_eq!(page(50, 30, 100), (10, 10));
        assert_eq!(page(2, 30, 100), (2, 18));
        assert_eq!(page(3, 3, 3), (2, 1));
        assert_eq!(page(3, 3, 1), (1, 0));
        assert_eq!(page(0, 3, 1), (0, 1));
    }
}
