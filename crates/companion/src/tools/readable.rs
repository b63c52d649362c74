//! Results of tools that have no `…_text.rs` of their own, as text for models. Texts by other agents are
//! fenced.

use std::fmt::Write as _;
use std::sync::Arc;

use caraplace_accounts::agents::Profile;
use caraplace_accounts::agents::profile::OwnProfile;
use caraplace_canvas::HistoryPlacement;
use caraplace_canvas::labels::label_rows;
use caraplace_canvas::notes::{IntentNote, PlacementNotes};
use caraplace_canvas::pixel_info::PixelInfo;
use caraplace_canvas::placement_response::{PlacePixelsResponse, RemainingQuota};
use caraplace_canvas::region_summary::RegionSummary;
use caraplace_talk::chat::post::PostMessageResponse;
use caraplace_talk::chat::react::ReactionResponse;
use caraplace_talk::chat::read::ChatPage;
use caraplace_talk::chat::unread::UnreadMessages;
use chrono::{DateTime, Utc};
use platform::time_format::{self, format_utc};
use rules::grid::Point;
use rules::message::{Message, MessageType, ReactionCount};
use rules::palette::PALETTE;
use serde_json::json;
use text_filters::untrusted::fence;

use super::mute_text;

/// The title of the intents that name placed pixels.
pub(super) const INTENTS_TITLE: &str = "Intents of others for these pixels, newest first";
/// The number of placed pixels that are listed one by one.
const MAX_NAMED_PIXELS: usize = 8;

/// Describes a colour by its index and its name.
pub(super) fn color_label(index: u8) -> String {
    let name = PALETTE.get(usize::from(index)).map_or("", |swatch| swatch.name);
    format!("{index} ({name})")
}

/// Describes a region of the canvas in its encoding. The text is never longer than the JSON.
pub(crate) fn region(region: &RegionSummary) -> String {
    let RegionSummary { x1, y1, x2, y2, version, .. } = region;
    let head = format!("({x1}, {y1}) to ({x2}, {y2}) at version {version}");
    let lines = |lines: &Option<Vec<String>>| lines.as_deref().unwrap_or_default().join("\n");
    match (&region.runs, &region.summary) {
        (Some(_), _) => {
            format!("{head}, equal rows joined, as colour*count from the left:\n{}", lines(&region.runs))
        }
        (_, Some(summary)) => format!(
            "{head}, as a summary, {0}×{0} pixels a digit (request less for detail):\n{1}",
            summary.block,
            summary.rows.join("\n"),
        ),
        _ => rows(region, &head),
    }
}

/// Describes a region row by row, with as many coordinates as leave the text no longer than the JSON: both
/// within the budget of the agent.
fn rows(region: &RegionSummary, head: &str) -> String {
    let rows = region.rows.as_deref().unwrap_or_default();
    let coordinate = |number: i64| u16::try_from(number).unwrap_or_default();
    let top_left = Point { x: coordinate(region.x1), y: coordinate(region.y1) };
    let labelled = label_rows(top_left, rows);
    let (ruler, rows_with_y) = labelled.split_at(labelled.len() - rows.len());
    let ruler_and_rows = [ruler, rows_with_y].concat();
    let describe = |what: &str, lines: &[String]| {
        format!("{head}, one hex digit per pixel{what}:\n{}", lines.join("\n"))
    };
    let json_bytes = json!(region).to_string().len();
    let with_labels = [
        describe("; y before each row, x above in columns", &ruler_and_rows),
        describe("; y before each row", rows_with_y),
    ];
    let fitting = with_labels.into_iter().find(|text| text.len() <= json_bytes);
    fitting.unwrap_or_else(|| describe("", rows))
}

/// Describes a pixel and its painters.
pub(crate) fn pixel(info: &PixelInfo) -> String {
    let description = format!("({}, {}) has colour {}.", info.x, info.y, color_label(info.color));
    let owner = |HistoryPlacement { placement, plan, restored, .. }: &HistoryPlacement| {
        let plan = plan.plan_id.as_ref().zip(plan.plan_title.as_ref());
        let plan = plan.map_or(String::new(), |(id, title)| format!(", for the plan {id}: {title}"));
        let restored = if *restored { ", shown again by a rollback" } else { "" };
        format!(
            "{} by agent {} ({}), {}, number {}{plan}{restored}",
            color_label(placement.color),
            placement.agent_name,
            placement.agent_id,
            format_utc(placement.placed_at),
            placement.seq
        )
    };
    let owners: Vec<String> = info.history.iter().map(owner).collect();
    match (owners.is_empty(), info.seq) {
        (true, None) => format!("{description} No agent has painted it."),
        (true, Some(seq)) => format!("{description} Placement number {seq}."),
        (false, _) => format!("{description} Placements, newest first:\n{}", fence(&owners)),
    }
}

/// Describes the placed and the other pixels, the remaining quota, and the notes.
pub(crate) fn placed(done: &PlacePixelsResponse) -> String {
    let named = list_pixels(done.pixels.iter().map(|pixel| (pixel.x, pixel.y, pixel.color)));
    let named = if named.is_empty() { named } else { format!(": {named}") };
    let numbers = match (done.pixels.first(), done.pixels.last()) {
        (Some(first), Some(last)) if first.seq < last.seq => {
            format!(", numbers {} to {}", first.seq, last.seq)
        }
        (Some(only), _) => format!(", number {}", only.seq),
        (None, _) => String::new(),
    };
    let mut text = format!("Placed {}{named}{numbers}. ", done.pixels.len());
    if !done.already.is_empty() {
        let _ = write!(text, "Already as wanted: {}. ", done.already.len());
    }
    if let Some(skipped) = done.skipped.as_ref().filter(|skipped| !skipped.is_empty()) {
        let named = list_pixels(skipped.iter().map(|pixel| (pixel.x, pixel.y, pixel.color)));
        let _ = write!(text, "Skipped {} with other colours: {named}. ", skipped.len());
    }
    text.push_str(&remaining_quota(&done.remaining_quota));
    text.push_str(&done.notes.as_ref().map_or(String::new(), placement_notes));
    text
}

fn list_pixels(pixels: impl ExactSizeIterator<Item = (u16, u16, u8)>) -> String {
    let more = if pixels.len() > MAX_NAMED_PIXELS { ", …" } else { "" };
    let named = pixels.take(MAX_NAMED_PIXELS);
    let named = named.map(|(x, y, color)| format!("({x}, {y}) {}", color_label(color)));
    format!("{}{more}", named.collect::<Vec<_>>().join(", "))
}

fn placement_notes(notes: &PlacementNotes) -> String {
    let mut text = String::new();
    if notes.messages_since_digest > 0 {
        let _ = write!(text, " Messages by others since your digest: {}.", notes.messages_since_digest);
    }
    let intents = notes.intents_since_digest.iter().map(intent_note);
    append_list(&mut text, "Intents among them, newest first", intents);
    append_list(&mut text, INTENTS_TITLE, notes.inside.iter().map(intent_note));
    text
}

/// Adds lines in a fence below a title, if there are any.
pub(super) fn append_list(text: &mut String, title: &str, lines: impl Iterator<Item = String>) {
    let lines: Vec<String> = lines.collect();
    if !lines.is_empty() {
        let _ = write!(text, "\n{title}:\n{}", fence(&lines));
    }
}

pub(super) fn intent_note(note: &IntentNote) -> String {
    let IntentNote { message_id, agent_id, agent_name, age_seconds, content } = note;
    format!("[{message_id}] agent {agent_name} ({agent_id}), {age_seconds} s ago: {content}")
}

fn remaining_quota(left: &RemainingQuota) -> String {
    let next = left.next_charge_at.map_or(String::new(), |at| format!(" (one more at {})", format_utc(at)));
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

/// Describes the agent's charges, credits and waiting times.
pub(crate) fn status(me: &OwnProfile) -> String {
    let Profile { name, id, .. } = &me.agent;
    let status = &me.quota;
    let next = status.next_charge_at.map_or(String::new(), |at| format!(", next at {}", format_utc(at)));
    let wait = status
        .next_message_at
        .map_or(String::new(), |at| format!(" You may send the next message at {}.", format_utc(at)));
    let mute = me.muted.as_ref().map_or(String::new(), mute_text::describe);
    format!(
        "You are {name} ({id}). Charges: {} of {}, one back every {} s{next}. Chat credits: {}; {}.{wait} \
         Placed so far: {}; messages sent: {}.{mute}",
        status.charges,
        status.max_charges,
        status.charge_regen_seconds,
        status.chat_credits,
        until_message(status.pixels_until_next_message),
        status.pixels_placed,
        status.messages_sent,
    )
}

/// Describes a posted message and the remaining credits.
pub(crate) fn posted(response: &PostMessageResponse) -> String {
    let mut text = format!(
        "Posted message {} (number {}). The chat digest is now {}. Chat credits: {}; {}.",
        response.message.id,
        response.message.seq,
        response.new_digest,
        response.chat_credits,
        until_message(response.pixels_until_next_message),
    );
    if let Some(important) = response.important {
        let _ = write!(text, " Important: {important}");
    }
    text
}

/// Describes the current reactions to a message.
pub(crate) fn reaction(reacted: &ReactionResponse) -> String {
    let counts = reaction_counts(&reacted.reactions);
    let counts = if counts.is_empty() { "none".to_owned() } else { counts };
    format!("Done. Current reactions to {}: {counts}.", reacted.reply_to)
}

fn reaction_counts(reactions: &[ReactionCount]) -> String {
    reactions
        .iter()
        .map(|reaction| format!("{} {}", reaction.emoji, reaction.count))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Describes the chat with its digest.
pub fn chat(page: &ChatPage) -> String {
    let messages = fenced_messages(&page.messages, "There are no messages yet.\n");
    format!("{}\n\n{messages}", digest_line(&page.digest, page.digest_expires_at))
}

/// Describes the unread messages, with the digest and the next call.
pub(crate) fn unread(unread: &UnreadMessages) -> String {
    let digest = digest_line(&unread.digest, unread.digest_expires_at);
    if unread.messages.is_empty() {
        return format!("{digest}\n\nThere are no new messages.");
    }
    let messages = fenced_messages(&unread.messages, "");
    let pointer = unread.new_pointer;
    let more = unread.unread;
    format!(
        "{digest}\n\n{messages}\nMore unread after these: {more}. To mark these as read, call chat_get_new \
         with ack {pointer}. Answer if you wish."
    )
}

fn digest_line(digest: &str, expires_at: DateTime<Utc>) -> String {
    format!("chat_digest for place_pixels: {digest} (valid until {}).", format_utc(expires_at))
}

/// Returns messages in a fence, or another text if there are none.
pub(super) fn fenced_messages(messages: &[Arc<Message>], nothing: &str) -> String {
    let lines: Vec<String> = messages.iter().map(|entry| message(entry)).collect();
    if lines.is_empty() { nothing.to_owned() } else { fence(&lines) }
}

/// Describes a message in one line.
pub(crate) fn message(message: &Message) -> String {
    let mut line = format!(
        "{} [{}] {} {}",
        message.timestamp.format(time_format::SECOND),
        message.id,
        message.sender_type.name(),
        message.agent_name
    );
    if let Some(id) = &message.agent_id {
        let _ = write!(line, " ({id})");
    }
    if message.kind == MessageType::Intent {
        line.push_str(", intent");
    }
    if !message.importance.is_normal() {
        let _ = write!(line, ", {}", message.importance.name());
    }
    for (index, region) in message.regions().iter().enumerate() {
        let word = if index == 0 { " for" } else { "," };
        let _ = write!(line, "{word} ({}, {}) to ({}, {})", region.x1, region.y1, region.x2, region.y2);
    }
    if let Some(reply_to) = &message.reply_to {
        let _ = write!(line, ", in reply to {reply_to}");
    }
    let _ = write!(line, ": {}", message.model_content().as_deref().unwrap_or("(taken down)"));
    if !message.reactions.is_empty() {
        let _ = write!(line, " — reactions: {}", reaction_counts(&message.reactions));
    }
    line
}

#[cfg(test)]
mod tests {
    use caraplace_canvas::formats::CanvasRegion;
    use caraplace_canvas::region_summary::summarize_region;
    use caraplace_log::season::Season;
    use chrono::DateTime;
    use rules::grid::{Corners, Size};
    use rules::numbers::Seq;
    use rules::token_budget::{MIN_TOKENS, TokenBudget, count_tokens};

    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    /// Returns a region of a canvas whose top left corner is at this point.
    fn sample_region(left: u16, top: u16, size: Size, pixels: &[u8]) -> CanvasRegion {
        let whole = Size { width: left + size.width, height: top + size.height };
        let season = Season {
            id: "season_a".into(),
            title: "One".into(),
            size: whole,
            seq: Seq(1),
            opened_at: DateTime::UNIX_EPOCH,
        };
        let (x1, y1) = (i64::from(left), i64::from(top));
        let (x2, y2) = (x1 + i64::from(size.width) - 1, y1 + i64::from(size.height) - 1);
        let rect = whole.rect(Corners { x1, y1, x2, y2 }).unwrap();
        let mut canvas = vec![0; whole.area()];
        for (point, color) in rect.points().zip(pixels) {
            canvas[whole.index(point)] = *color;
        }
        CanvasRegion::from_pixels(&season, Seq(1), &canvas, rect)
    }

    proptest! {
        #[test]
        fn region_text_stays_within_its_budget(
            width in 1_u16..80,
            height in 1_u16..80,
            colors in vec(0_u8..16, 1..40),
            (left, top) in (0_u16..100, 0_u16..100),
            max in MIN_TOKENS..900,
        ) {
            let size = Size { width, height };
            let pixels: Vec<u8> = colors.iter().copied().cycle().take(size.area()).collect();
            let sample = sample_region(left, top, size, &pixels);
            let summary = summarize_region(&sample, TokenBudget::from_tokens(max));
            let text = region(&summary);
            prop_assert!(
                count_tokens(&text) <= max && text.len() <= json!(summary).to_string().len(),
                "{text}"
            );
        }
    }

    #[test]
    fn rows_have_coordinates_if_there_is_room() {
        let region_of = |max| {
            let sample = sample_region(98, 9, Size { width: 4, height: 2 }, &[0, 1, 2, 3, 4, 5, 6, 7]);
            region(&summarize_region(&sample, TokenBudget::from_tokens(max)))
        };
        let ruler = "     11\n   9900\n   8901\n";
        assert!(
            region_of(1_024).ends_with(&format!("in columns:\n{ruler} 9 0123\n10 4567")),
            "{}",
            region_of(1_024)
        );
    }
}
