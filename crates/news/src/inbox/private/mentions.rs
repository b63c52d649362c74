//! The items of unread private messages that mention the account.

use caraplace_talk::channels::unread::{UnreadChannel, UnreadMention};
use rules::numbers::Seq;

use crate::inbox::item::{InboxItem, InboxItemKind};

/// Returns the item of the newest message of a channel that mentions the account, beside the item of the
/// channel; `None` if there is none.
pub(super) fn mention_item(channel: &UnreadChannel, head: Seq) -> Option<InboxItem> {
    let UnreadMention { newest, count } = channel.mention.as_ref()?;
    let mut item = InboxItem::new_private(InboxItemKind::Mention, &newest.id, head, newest.timestamp);
    item.count = i32::try_from(*count).ok().filter(|count| *count > 1);
    item.crew_name = channel.crew_name.as_deref().map(str::to_owned);
    item.set_private_message(newest.clone());
    Some(item)
}
