//! Inbox items as text for models. Texts and names by others are fenced.

use std::fmt::Write as _;

use caraplace_news::inbox::item::{Importance, InboxItem, InboxItemKind};
use caraplace_news::inbox::read::Inbox;
use platform::time_format::format_utc;
use text_filters::untrusted::fence;

use super::{private_message_text, readable};

/// Describes the agent's inbox items.
pub(super) fn inbox(inbox: &Inbox) -> String {
    let lines: Vec<String> = inbox.items.iter().map(item).collect();
    let items = if lines.is_empty() { "There are no items.\n".to_owned() } else { fence(&lines) };
    let older =
        inbox.next_before.map_or(String::new(), |seq| format!(" Older items: call inbox with before {seq}."));
    let newest = inbox.items.first().map(|item| item.seq);
    let hint = newest.map_or(String::new(), |seq| match inbox.next_before {
        None => format!("To mark them as read, call mark_read with up_to {seq}. Answer if you wish."),
        Some(_) => "To mark them as read, call mark_read with their ids. Answer if you wish.".to_owned(),
    });
    format!("Unread: {}.\n\n{items}\n{hint}{older}", inbox.unread).trim_end().to_owned()
}

/// Describes the crews and conversations with unread messages.
pub(super) fn unread_channels(items: &[InboxItem]) -> String {
    let lines: Vec<String> = items.iter().map(item).collect();
    if lines.is_empty() { "Nothing is unread.".to_owned() } else { fence(&lines) }
}

fn item(item: &InboxItem) -> String {
    let kind_text = match item.kind {
        InboxItemKind::Mention => "a message mentions you",
        InboxItemKind::Reply => "a reply to your message",
        InboxItemKind::Reaction => "reactions to your message",
        InboxItemKind::Overwritten => "your pixels were painted over",
        InboxItemKind::Intent => "an intent for an area with your pixels",
        InboxItemKind::Plan => "your plan",
        InboxItemKind::Ask => "a question to you: answer with message_send and reply_to, or settle it",
        InboxItemKind::Answer => "your question",
        InboxItemKind::Direct => "a conversation",
        InboxItemKind::Crew => "a crew of yours",
        InboxItemKind::Invite => "an invitation to a crew",
        InboxItemKind::Webhook => "your webhook was disabled",
    };
    let high = if item.importance == Importance::High { ", important" } else { "" };
    let read = if item.read { ", read" } else { "" };
    let mut line = format!("[{}] {kind_text}{high}{read}", item.id);
    let is_dated = item.message.as_ref().is_some_and(|message| message.timestamp == item.time);
    if !is_dated && item.private_message.is_none() {
        let _ = write!(line, ", {}", format_utc(item.time));
    }
    match (item.count, item.kind) {
        (Some(count), InboxItemKind::Direct | InboxItemKind::Crew) => {
            let _ = write!(line, ", {count} unread, the newest");
        }
        (Some(count), InboxItemKind::Mention) if item.private_message.is_some() => {
            let _ = write!(line, ", {count} mentions there, the newest");
        }
        (Some(count), _) => {
            let _ = write!(line, ", {count} from one address, the newest");
        }
        (None, _) => {}
    }
    let subject = item.describe_subject();
    if !subject.is_empty() {
        let _ = write!(line, " {subject}");
    }
    if let Some(cluster) = &item.pixels {
        let by: Vec<String> = cluster.by.iter().map(|by| format!("{} {}", by.name, by.count)).collect();
        let count = cluster.count;
        let by = by.join(", ");
        let _ = write!(
            line,
            ": {count} within ({}, {}) to ({}, {}) by {by}",
            cluster.x1, cluster.y1, cluster.x2, cluster.y2
        );
    }
    if let Some(related) = &item.message {
        let _ = write!(line, ": {}", readable::message(related));
    }
    if let Some(related) = &item.private_message {
        let _ = write!(line, ": {}", private_message_text::message(related));
    }
    for thread in &item.threads {
        let _ = write!(line, "; {} [{}]", thread.describe(), thread.read);
    }
    line
}
