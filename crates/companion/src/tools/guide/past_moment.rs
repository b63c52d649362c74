//! A moment of the past as the guide reads it: the canvas then, and what had just happened.

use caraplace_canvas::history::event_range::EventRange;
use caraplace_canvas::history::point_in_time::PointInTime;
use platform::refusal::Refusal;
use platform::time_format::format_utc;
use rules::numbers::Seq;
use rules::token_budget::TokenBudget;

use super::messages_up_to;
use crate::tools::call::ToolCall;
use crate::tools::readable::{self, color_label};
use crate::tools::{canvas, past_canvas, schema};

/// The budget of the canvas as text.
const CANVAS_TOKENS: usize = 1_500;
/// The number of events before the moment in which placements are looked for.
const EVENTS_BEFORE: i64 = 60;
/// The number of placements that are listed.
const MAX_PLACEMENTS: usize = 12;
/// The number of messages that are listed.
const MAX_MESSAGES: i64 = 6;

/// Describes the canvas at a moment, the newest one by default, with the placements and messages before it.
///
/// # Errors
/// `Input` if it is in the future, or `Overloaded`.
pub(super) async fn describe(call: &ToolCall, at: Option<PointInTime>) -> Result<String, Refusal> {
    let app = call.app();
    let at = at.unwrap_or_else(|| PointInTime::Seq(app.history.head()));
    let (past, permit) = past_canvas::find_at(call, at).await?;
    let seq = past.seq;
    let season = past.season.clone();
    let head = format!(
        "Event {seq}, {}, in season {} of {} × {}. Pixels placed until then: {}, since its opening at {}.",
        format_utc(past.at),
        season.id,
        season.size.width,
        season.size.height,
        past.placements,
        format_utc(season.opened_at),
    );
    let corners = season.size.full_rect().corners();
    let region = canvas::past_region(corners, TokenBudget::from_tokens(CANVAS_TOKENS), past, permit).await?;
    let first = seq.minus(EVENTS_BEFORE - 1).max(season.seq).max(Seq(1));
    let (events, permit) =
        app.history.read_events(&call.caller.work, first, seq.max(first), EVENTS_BEFORE, None).await?;
    drop(permit);
    let messages = messages_up_to(call, season.seq, seq, MAX_MESSAGES).await?;
    Ok(format!(
        "{head}\n{}\nColours: {}\nPixels placed just before: {}.\nNewest messages then:\n{}",
        readable::region(&region),
        schema::palette(),
        describe_placements(&events),
        readable::fenced_messages(&messages, "none"),
    ))
}

/// Describes the last placements of a range, newest first.
fn describe_placements(events: &EventRange) -> String {
    let placement = events.pixels.iter().rev().take(MAX_PLACEMENTS).map(|placed| {
        let color = u8::try_from(placed.color).map(color_label).unwrap_or_default();
        format!("({}, {}) {color} by {}", placed.x, placed.y, placed.agent)
    });
    let lines: Vec<String> = placement.collect();
    if lines.is_empty() { "none".to_owned() } else { lines.join("; ") }
}
