//! Finds what a viewer is notified about: unread mentions, replies and reactions that were not told before.

use chrono::{DateTime, Utc};
use rules::message::Message;

use super::Notifications;
use super::store::Claim;
use crate::inbox::item::{InboxItem, InboxItemKind};
use crate::inbox::read::{self, InboxQuery};
use crate::log::key_cache::Agent;
use crate::refusal::Refusal;
use crate::state::AppState;

/// The maximum number of items in one notification.
const MAX_ITEMS: usize = 10;

/// The items of a notification, newest first. There is at least one.
#[derive(Clone, Debug)]
pub(super) struct News {
    pub items: Vec<NewsItem>,
    /// The number of all items that are unread and were not told before.
    pub count: usize,
    /// The number of the newest item.
    pub newest_seq: i64,
}

/// An unread item with its message, as texts without line breaks or control characters.
#[derive(Clone, Debug)]
pub(super) struct NewsItem {
    /// The sentence that introduces the text, as in "Ada replied to you".
    pub headline: String,
    /// The lines of the message's text. For reactions it is the viewer's own message.
    pub text: Vec<String>,
    /// The path of the page at the message.
    pub path: String,
}

/// The result of a search for news.
pub(super) enum FoundNews {
    /// Everything up to this number is read or told.
    None {
        up_to: i64,
    },
    /// Something is unread, but not for long enough.
    TooEarly {
        up_to: i64,
    },
    Due(News),
}

/// Returns the items that a viewer is notified about, if the oldest of them is from `unread_since` or before.
///
/// # Errors
/// Returns the error of the database.
pub(super) async fn find_news(
    state: &AppState,
    viewer: &Agent,
    claim: &Claim,
    unread_since: DateTime<Utc>,
) -> Result<FoundNews, Refusal> {
    let query = InboxQuery { limit: read::MAX_LIMIT, before: None, only_unread: true };
    let inbox = read::public_page(state, viewer, query).await?;
    let is_news = |item: &InboxItem| item.seq > claim.told_seq && headline(item).is_some();
    let unread: Vec<InboxItem> = inbox.items.into_iter().filter(is_news).collect();
    let (Some(newest), Some(oldest)) = (unread.first(), unread.last()) else {
        return Ok(FoundNews::None { up_to: claim.newest_seq });
    };
    if oldest.time > unread_since {
        return Ok(FoundNews::TooEarly { up_to: oldest.seq - 1 });
    }
    let newest_seq = newest.seq;
    let items = unread.iter().take(MAX_ITEMS).filter_map(NewsItem::from_inbox).collect();
    Ok(FoundNews::Due(News { items, count: unread.len(), newest_seq }))
}

impl NewsItem {
    /// Returns an inbox item as texts; `None` if it is not told.
    fn from_inbox(item: &InboxItem) -> Option<Self> {
        let message = item.message.as_deref()?;
        // The text of a folded message was reported, and is shown on the page only when asked for.
        let text = message.content.as_deref().filter(|_| !message.folded).unwrap_or_default();
        Some(Self {
            headline: headline(item)?,
            text: text.lines().map(single_line).filter(|line| !line.is_empty()).collect(),
            path: Notifications::message_path(&message.id),
        })
    }
}

/// Returns the sentence that introduces an item; `None` if items of its kind are not told.
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
