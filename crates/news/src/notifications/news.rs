//! Finds the unread mentions, replies, reactions and direct messages, and the ended plans, of which a viewer
//! has not been notified yet.

use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use caraplace_talk::channels::unread::{self, UnreadChannel};
use caraplace_talk::read_state;
use chrono::{DateTime, Utc};
use platform::refusal::Refusal;
use rules::message::Message;
use rules::numbers::{MessageNo, Seq};

use super::Notifications;
use super::store::{self, Claim, EndedPlan, NotifiedUpTo};
use crate::inbox::item::{InboxItem, InboxItemKind};
use crate::inbox::read::{self, InboxQuery};

/// The maximum number of items in one notification.
const MAX_ITEMS: usize = 10;

/// The items of a notification, newest first. There is at least one.
#[derive(Clone, Debug)]
pub(super) struct News {
    pub items: Vec<NewsItem>,
    /// The number of all unread items of which the viewer was not notified before.
    pub count: usize,
    /// The numbers up to which the viewer is notified after this notification.
    pub notified_up_to: NotifiedUpTo,
}

/// An unread item with its message, as texts without line breaks or control characters.
#[derive(Clone, Debug)]
pub(super) struct NewsItem {
    /// The sentence that introduces the text, as in "Ada replied to you".
    pub headline: String,
    /// The lines of the message's text. For reactions it is the viewer's own message.
    pub text: Vec<String>,
    /// The path of the page that shows it.
    pub path: String,
}

/// The unread items of one kind of which a viewer was not notified before. `N` is the type of their numbers.
struct PendingItems<N> {
    /// Newest first.
    items: Vec<NewsItem>,
    /// The last number before the oldest; `None` if there is none.
    before_oldest: Option<N>,
    /// The time of the oldest; `None` if there is none.
    oldest_at: Option<DateTime<Utc>>,
    /// The number of the newest; `None` if there is none.
    newest: Option<N>,
}

/// The result of a search for news.
pub(super) enum FoundNews {
    /// The viewer has read everything up to these numbers, or was notified of it.
    None {
        notified_up_to: NotifiedUpTo,
    },
    /// Something is unread, but not for long enough.
    TooEarly {
        notified_up_to: NotifiedUpTo,
    },
    Due(News),
}

/// Returns the items that a viewer is notified about, if the oldest of them is from `unread_since` or before.
pub(super) async fn find_news(
    state: &AppState,
    viewer: &Identity,
    claim: &Claim,
    unread_since: DateTime<Utc>,
) -> Result<FoundNews, Refusal> {
    let public = find_public(state, viewer, claim).await?;
    let private = find_private(state, viewer, claim).await?;
    let plans = find_plans(state, viewer, claim).await?;
    let newest = claim.newest;
    let oldest_of_kinds = [public.oldest_at, private.oldest_at, plans.oldest_at];
    let Some(oldest) = oldest_of_kinds.into_iter().flatten().min() else {
        return Ok(FoundNews::None { notified_up_to: newest });
    };
    if oldest > unread_since {
        let notified_up_to = NotifiedUpTo {
            // Without items, everything of this kind is read, or the viewer was notified of it.
            notice: public.before_oldest.unwrap_or(newest.notice),
            message: private.before_oldest.unwrap_or(newest.message),
            plan: plans.before_oldest.unwrap_or(newest.plan),
        };
        return Ok(FoundNews::TooEarly { notified_up_to });
    }
    let notified_up_to = NotifiedUpTo {
        notice: public.newest.unwrap_or(newest.notice),
        // The viewer is notified with it of what has come since the claim.
        message: private.newest.map_or(newest.message, |number| number.max(newest.message)),
        plan: plans.newest.map_or(newest.plan, |number| number.max(newest.plan)),
    };
    let count = public.items.len() + private.items.len() + plans.items.len();
    let items = private.items.into_iter().chain(plans.items).chain(public.items).take(MAX_ITEMS).collect();
    Ok(FoundNews::Due(News { items, count, notified_up_to }))
}

/// Returns the unread mentions, replies and reactions.
async fn find_public(
    state: &AppState,
    viewer: &Identity,
    claim: &Claim,
) -> Result<PendingItems<Seq>, Refusal> {
    let query = InboxQuery { limit: read::MAX_LIMIT, before: None, only_unread: true };
    let inbox = read::public_page(state, viewer, query).await?;
    let is_news = |item: &InboxItem| item.seq > claim.notified_up_to.notice && headline(item).is_some();
    let unread: Vec<InboxItem> = inbox.items.into_iter().filter(is_news).collect();
    Ok(PendingItems {
        items: unread.iter().filter_map(NewsItem::from_inbox).collect(),
        before_oldest: unread.last().map(|item| item.seq.previous()),
        oldest_at: unread.last().map(|item| item.time),
        newest: unread.first().map(|item| item.seq),
    })
}

/// Returns the conversations with unread messages.
async fn find_private(
    state: &AppState,
    viewer: &Identity,
    claim: &Claim,
) -> Result<PendingItems<MessageNo>, Refusal> {
    let oldest = store::oldest_unread_message(&state.pool, viewer.no, claim.notified_up_to.message).await?;
    let news = unread::find_news(state, viewer).await?;
    let pending: Vec<UnreadChannel> = news
        .channels
        .into_iter()
        .filter(|channel| channel.newest_no > claim.notified_up_to.message)
        .collect();
    let oldest = oldest.filter(|_| !pending.is_empty());
    Ok(PendingItems {
        items: pending.iter().map(NewsItem::from_conversation).collect(),
        before_oldest: oldest.as_ref().map(|message| message.no.previous()),
        oldest_at: oldest.as_ref().map(|message| message.sent_at),
        newest: pending.first().map(|channel| channel.newest_no),
    })
}

/// Returns the plans that have ended.
async fn find_plans(
    state: &AppState,
    viewer: &Identity,
    claim: &Claim,
) -> Result<PendingItems<Seq>, Refusal> {
    let read = read_state::current(state, viewer).await?;
    let mut plans = store::ended_plans(&state.pool, viewer.no, claim.notified_up_to.plan).await?;
    plans.retain(|plan| !read.is_item_marked(plan.seq));
    Ok(PendingItems {
        items: plans.iter().map(NewsItem::from_plan).collect(),
        before_oldest: plans.last().map(|plan| plan.seq.previous()),
        oldest_at: plans.last().map(|plan| plan.at),
        newest: plans.first().map(|plan| plan.seq),
    })
}

impl NewsItem {
    /// Returns an inbox item as texts; `None` if viewers are not notified of such items.
    fn from_inbox(item: &InboxItem) -> Option<Self> {
        let message = item.message.as_deref()?;
        // The text of a folded message was reported, and is shown on the page only when asked for.
        let text = message.content.as_deref().filter(|_| !message.folded).unwrap_or_default();
        Some(Self {
            headline: headline(item)?,
            text: split_lines(text),
            path: Notifications::message_path(&message.id),
        })
    }

    fn from_conversation(channel: &UnreadChannel) -> Self {
        let message = &channel.newest;
        let more = match channel.count {
            ..=1 => String::new(),
            count => format!(" ({count} messages)"),
        };
        Self {
            headline: format!("{} wrote to you privately{more}", single_line(&message.agent_name)),
            text: split_lines(message.content.as_deref().unwrap_or_default()),
            path: format!("/messages/{}", channel.id),
        }
    }

    fn from_plan(plan: &EndedPlan) -> Self {
        let end = if plan.is_finished { "is finished" } else { "has expired unfinished" };
        Self {
            headline: format!("Your plan {end}"),
            text: split_lines(&plan.title),
            path: format!("/plans/{}", plan.id),
        }
    }
}

/// Returns the sentence that introduces an item; `None` if viewers are not notified of items of its kind.
fn headline(item: &InboxItem) -> Option<String> {
    let message: &Message = item.message.as_deref()?;
    let sender = single_line(&message.agent_name);
    let others = item.count.map_or(0, |count| count - 1);
    match item.kind {
        InboxItemKind::Mention if others > 0 => {
            Some(format!("{sender} mentioned you, and so did {others} other messages"))
        }
        InboxItemKind::Mention => Some(format!("{sender} mentioned you")),
        InboxItemKind::Reply => Some(format!("{sender} replied to you")),
        InboxItemKind::Reaction => Some(format!("Reactions to your message: {}", reactions(message))),
        _ => None,
    }
}

/// Returns the reactions to a message, as in "🔥 2, 👍 1".
fn reactions(message: &Message) -> String {
    let counted = message.reactions.iter().map(|reaction| format!("{} {}", reaction.emoji, reaction.count));
    single_line(&counted.collect::<Vec<_>>().join(", "))
}

/// Returns the lines of a text that are not empty.
fn split_lines(text: &str) -> Vec<String> {
    text.lines().map(single_line).filter(|line| !line.is_empty()).collect()
}

/// Returns a text of others without control characters, so that it stays on its line.
fn single_line(text: &str) -> String {
    let visible = |c: char| if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') { ' ' } else { c };
    text.chars().map(visible).collect::<String>().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_others_stay_on_their_line() {
        assert_eq!(single_line(" Ada\r\nBcc: eve@example.com\u{2028}x\0"), "Ada  Bcc: eve@example.com x");
    }
}
