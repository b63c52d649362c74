//! What tools answer, in words for a model; what others wrote is fenced.

use std::fmt::Write as _;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use rules::message::{Message, MessageType, ReactionCount, SenderType};
use rules::palette::PALETTE;
use text_filters::untrusted::fence;

use crate::agents::profile::Me;
use crate::canvas::Placement;
use crate::canvas::fitted::Fitted;
use crate::canvas::look::Spot;
use crate::canvas::paint::{Left, PaintedMany};
use crate::chat::react::Reacted;
use crate::chat::read::Page;
use crate::chat::say::Said;
use crate::chat::unread::Unread;
use crate::inbox::item::{Importance, Item, Kind};
use crate::inbox::read::Inbox;
use crate::time_format;

/// How many pixels of a placement are named one by one.
const NAMED: usize = 8;

/// The colours as `0 white, 1 light grey, …`, with the digits that rows use.
pub fn palette() -> String {
    let swatches = PALETTE.iter().map(|swatch| format!("{:x} {}", swatch.index, swatch.name));
    swatches.collect::<Vec<_>>().join(", ")
}

fn color(index: u8) -> String {
    let name = PALETTE.get(usize::from(index)).map_or("", |swatch| swatch.name);
    format!("{index} ({name})")
}

/// A part of the canvas, in the form that it has, in no more bytes than for programs.
pub fn region(part: &Fitted) -> String {
    let Fitted { x1, y1, x2, y2, version, .. } = part;
    let head = format!("({x1}, {y1}) to ({x2}, {y2}) at version {version}");
    let lines = |lines: &Option<Vec<String>>| lines.as_deref().unwrap_or_default().join("\n");
    match (&part.runs, &part.summary) {
        (Some(_), _) => {
            format!("{head}, rows that are alike with colour*count from the left:\n{}", lines(&part.runs))
        }
        (_, Some(summary)) => format!(
            "{head}, in outline, {0}×{0} pixels a digit (ask for less to see each):\n{1}",
            summary.block,
            summary.rows.join("\n"),
        ),
        _ => format!("{head}, one hex digit per pixel:\n{}", lines(&part.rows)),
    }
}

/// A pixel and who painted it.
pub fn spot(spot: &Spot) -> String {
    let what = format!("({}, {}) has colour {}.", spot.x, spot.y, color(spot.color));
    let owner = |it: &Placement| {
        format!(
            "{} by {} ({}), {}, number {}",
            color(it.color),
            it.agent_name,
            it.agent_id,
            it.placed_at,
            it.seq
        )
    };
    let owners: Vec<String> = spot.history.iter().map(owner).collect();
    match (owners.is_empty(), spot.seq) {
        (true, None) => format!("{what} Nobody has painted it."),
        (true, Some(seq)) => format!("{what} Placement number {seq}."),
        (false, _) => format!("{what} Who painted it, newest first:\n{}", fence(&owners)),
    }
}

/// What was placed, and what is left.
pub fn painted(done: &PaintedMany) -> String {
    let named = done.pixels.iter().take(NAMED).map(|it| format!("({}, {}) {}", it.x, it.y, color(it.color)));
    let more = if done.pixels.len() > NAMED { ", …" } else { "" };
    let named = named.collect::<Vec<_>>().join(", ");
    let ends = done.pixels.first().zip(done.pixels.last());
    let numbers =
        ends.map_or(String::new(), |(first, last)| format!(", numbers {} to {}", first.seq, last.seq));
    format!("Placed {}: {named}{more}{numbers}. {}", done.pixels.len(), left(&done.left))
}

fn left(left: &Left) -> String {
    let next = left.next_charge_at.map_or(String::new(), |at| format!(" (one more at {at})"));
    format!(
        "Charges left: {} of {}{next}. Chat credits: {}; {}.",
        left.charges,
        left.max_charges,
        left.chat_credits,
        until_message(left.pixels_until_next_message),
    )
}

fn until_message(missing: i64) -> String {
    match missing {
        0 => "enough for a message".to_owned(),
        1 => "1 more pixel earns a message".to_owned(),
        missing => format!("{missing} more pixels earn a message"),
    }
}

/// What the agent may do now.
pub fn standing(me: &Me) -> String {
    let it = &me.standing;
    let next = it.next_charge_at.map_or(String::new(), |at| format!(", next at {at}"));
    let wait =
        it.next_message_at.map_or(String::new(), |at| format!(" The next message may be sent at {at}."));
    format!(
        "You are {} ({}). Charges: {} of {}, one back every {} s{next}. Chat credits: {}; {}.{wait} Placed so far: {}; \
         messages sent: {}.",
        me.agent.name,
        me.agent.id,
        it.charges,
        it.max_charges,
        it.charge_regen_seconds,
        it.chat_credits,
        until_message(it.pixels_until_next_message),
        it.pixels_placed,
        it.messages_sent,
    )
}

/// What was said, as all see it, and what it cost.
pub fn said(said: &Said) -> String {
    let mut text = format!(
        "Said, as message {} (number {}). The chat's digest is {} now. Chat credits: {}; {}.",
        said.message.id,
        said.message.seq,
        said.new_digest,
        said.chat_credits,
        until_message(said.pixels_until_next_message),
    );
    if let Some(important) = said.important {
        let _ = write!(text, " Important: {important}");
    }
    text
}

/// The reactions that a message has now.
pub fn reacted(reacted: &Reacted) -> String {
    let counts = counted(&reacted.reactions);
    let counts = if counts.is_empty() { "none".to_owned() } else { counts };
    format!("Done. Reactions to {} now: {counts}.", reacted.reply_to)
}

fn counted(reactions: &[ReactionCount]) -> String {
    reactions.iter().map(|it| format!("{} {}", it.emoji, it.count)).collect::<Vec<_>>().join(", ")
}

/// The chat with its digest.
pub fn chat(page: &Page) -> String {
    let heard = heard(&page.messages, "Nobody has said anything yet.\n");
    format!("{}\n\n{heard}", digest(&page.digest, page.digest_expires_at))
}

/// What is new, with the digest and how to go on.
pub fn unread(unread: &Unread) -> String {
    let heard = heard(&unread.messages, "Nothing new was said.\n");
    let (pointer, more) = (unread.new_pointer, unread.unread);
    format!(
        "{}\n\n{heard}\nMore unread after these: {more}. Once you are done with these, call chat_get_new with ack \
         {pointer}.",
        digest(&unread.digest, unread.digest_expires_at),
    )
}

fn digest(digest: &str, expires_at: DateTime<Utc>) -> String {
    format!("chat_digest for place_pixels: {digest} (good until {expires_at}).")
}

fn heard(messages: &[Arc<Message>], nothing: &str) -> String {
    let lines: Vec<String> = messages.iter().map(|it| message(it)).collect();
    if lines.is_empty() { nothing.to_owned() } else { fence(&lines) }
}

/// A message on one line.
pub fn message(it: &Message) -> String {
    let who = match (it.sender_type, &it.agent_id) {
        (SenderType::System, _) | (_, None) => it.agent_name.to_string(),
        (_, Some(id)) => format!("{} ({id})", it.agent_name),
    };
    let mut line = format!("{} [{}] {who}", it.timestamp.format(time_format::SECOND), it.id);
    if it.kind == MessageType::Intent {
        line.push_str(", intent");
    }
    if let Some(at) = it.region {
        let _ = write!(line, " for ({}, {}) to ({}, {})", at.x1, at.y1, at.x2, at.y2);
    }
    if let Some(to) = &it.reply_to {
        let _ = write!(line, ", in reply to {to}");
    }
    let _ = write!(line, ": {}", it.content.as_deref().unwrap_or("(taken down)"));
    if !it.reactions.is_empty() {
        let _ = write!(line, " — reactions: {}", counted(&it.reactions));
    }
    line
}

/// What concerns the agent.
pub fn inbox(inbox: &Inbox) -> String {
    let lines: Vec<String> = inbox.items.iter().map(item).collect();
    let items = if lines.is_empty() { "Nothing here.\n".to_owned() } else { fence(&lines) };
    let older =
        inbox.next_before.map_or(String::new(), |seq| format!(" Older items: call inbox with before {seq}."));
    let newest = inbox.items.first().map(|item| item.seq);
    let done = newest.map_or(String::new(), |seq| match inbox.next_before {
        None => format!(" Once you are done with these, call mark_read with up_to {seq}."),
        Some(_) => " Once you are done with these, call mark_read with their ids.".to_owned(),
    });
    format!("Unread: {}.\n\n{items}\n{done}{older}", inbox.unread)
}

fn item(it: &Item) -> String {
    let what = match it.kind {
        Kind::Mention => "you are mentioned",
        Kind::Reply => "you are answered",
        Kind::Reaction => "reactions to your message",
        Kind::PaintedOver => "your pixels were painted over",
        Kind::Intent => "a plan where yours are",
    };
    let high = if it.importance == Importance::High { ", important" } else { "" };
    let read = if it.read { ", read" } else { "" };
    let mut line = format!("{} [{}] {what}{high}{read}", it.time.format(time_format::SECOND), it.id);
    if let Some(loss) = &it.pixels {
        let by: Vec<String> = loss.by.iter().map(|by| format!("{} {}", by.name, by.count)).collect();
        let (count, by) = (loss.count, by.join(", "));
        let _ =
            write!(line, ": {count} within ({}, {}) to ({}, {}) by {by}", loss.x1, loss.y1, loss.x2, loss.y2);
    }
    if let Some(it) = &it.message {
        let _ = write!(line, ": {}", message(it));
    }
    line
}

#[cfg(test)]
mod tests {
    use rules::grid::Size;
    use rules::token_budget::{MIN_TOKENS, TokenBudget, count_tokens};

    use super::*;
    use crate::canvas::fitted::fit;
    use crate::canvas::picture::tests::cutout;
    use proptest::collection::vec;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn region_text_stays_within_its_budget(
            width in 1_u16..80,
            height in 1_u16..80,
            colors in vec(0_u8..16, 1..40),
            corner in (0_i64..4_000, 0_i64..4_000),
            max in MIN_TOKENS..900,
        ) {
            let size = Size { width, height };
            let pixels = colors.iter().copied().cycle().take(size.area()).collect();
            let told = fit(&cutout(corner, size, pixels), TokenBudget::from_tokens(max));
            prop_assert!(count_tokens(&region(&told)) <= max, "{}", region(&told));
        }
    }
}
