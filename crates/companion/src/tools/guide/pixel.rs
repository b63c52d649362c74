//! A pixel as the guide reads it: its painters, and why it was painted, now or in the past.

use caraplace_canvas::history::point_in_time::PointInTime;
use caraplace_canvas::pixel_info::{MAX_PIXEL_HISTORY, PixelInfo, find_archived_pixel, find_pixel};
use caraplace_talk::chat::pixel_reason::PixelReason;
use caraplace_talk::chat::story::{PixelStory, find_archived_story, find_story};
use platform::input;
use platform::refusal::Refusal;
use platform::time_format::format_utc;
use rules::grid::Point;

use super::find_archive::find_archive;
use crate::tools::call::ToolCall;
use crate::tools::past_canvas;
use crate::tools::readable::{self, color_label, message};

/// The number of placements that are listed.
const MAX_PLACEMENTS: usize = 8;
const PAINTER_UNKNOWN: &str =
    "It was painted so often since then that who had painted it is not among its newest placements.";

/// Describes a pixel at a moment; `None` for now.
///
/// # Errors
/// `Input` if it is not on the canvas, or `Overloaded`.
pub(super) async fn describe(
    call: &ToolCall,
    x: i64,
    y: i64,
    at: Option<PointInTime>,
) -> Result<String, Refusal> {
    let Some(at) = at else { return describe_now(call, x, y).await };
    let (canvas, permit) = past_canvas::find_at(call, at).await?;
    drop(permit);
    let point = input::point(canvas.season.size, x, y)?;
    let index = usize::from(point.y) * usize::from(canvas.season.size.width) + usize::from(point.x);
    let color = canvas.pixels.get(index).copied().unwrap_or_default();
    let (mut info, story) = find_in_season(call, point, &canvas.season.id).await?;
    let newest = info.seq;
    let known = info.history.len();
    info.history.retain(|placement| placement.placement.seq <= canvas.seq);
    info.color = color;
    info.seq = info.history.first().map(|placement| placement.placement.seq);
    let head = format!("At event {}, {}: ", canvas.seq, format_utc(canvas.at));
    let story = story.filter(|_| newest.is_none_or(|newest| newest <= canvas.seq));
    if info.history.is_empty() && known == MAX_PIXEL_HISTORY as usize {
        let color = color_label(info.color);
        return Ok(format!("{head}({}, {}) had colour {color}. {PAINTER_UNKNOWN}", point.x, point.y));
    }
    Ok(format!("{head}{}", describe_found(info, story.as_ref())))
}

async fn describe_now(call: &ToolCall, x: i64, y: i64) -> Result<String, Refusal> {
    let state = &call.app().state;
    let point = input::point(state.read_world(|world| world.season.size), x, y)?;
    let info = find_pixel(state, point, call.reader()).await?;
    let story = find_story(state, point, call.reader()).await?;
    Ok(describe_found(info, Some(&story)))
}

/// Returns what is known about a pixel of a season as of its end, or of now for the present season.
async fn find_in_season(
    call: &ToolCall,
    point: Point,
    season: &str,
) -> Result<(PixelInfo, Option<PixelStory>), Refusal> {
    let app = call.app();
    let reader = call.reader();
    let Some(archive) = find_archive(app, season).await? else {
        let info = find_pixel(&app.state, point, reader).await?;
        return Ok((info, Some(find_story(&app.state, point, reader).await?)));
    };
    let newest = app.history.archived_placement(&app.archived_heatmaps, &archive, point).await?;
    let info = find_archived_pixel(&app.state, point, newest, reader).await?;
    let story = find_archived_story(&app.state, point, newest, &archive, reader).await?;
    Ok((info, Some(story)))
}

fn describe_found(mut info: PixelInfo, story: Option<&PixelStory>) -> String {
    info.history.truncate(MAX_PLACEMENTS);
    let mut text = readable::pixel(&info);
    let lines = story.map(story_lines).unwrap_or_default();
    readable::append_list(&mut text, "In the chat about it", lines.into_iter());
    text
}

/// Describes why a pixel was painted, as far as its painter and others have told it. Each message is named
/// once.
fn story_lines(story: &PixelStory) -> Vec<String> {
    let mut lines = story.why.as_ref().map(reason_lines).unwrap_or_default();
    let is_reason = |id: &str| {
        let reason = story.why.as_ref();
        let mut told = reason.into_iter().flat_map(|why| why.intent.iter().chain(&why.said));
        told.any(|message| message.id == id)
    };
    if let Some(said) = story.said.as_ref().filter(|said| !is_reason(&said.id)) {
        lines.push(format!("Its painter about that time: {}", message(said)));
    }
    let intents = story.intents.iter().filter(|intent| !is_reason(&intent.id));
    lines.extend(intents.map(|intent| format!("An intent that covers it: {}", message(intent))));
    lines
}

fn reason_lines(why: &PixelReason) -> Vec<String> {
    let certainty = if why.exact { "Painted for" } else { "Perhaps painted for" };
    let plan = why
        .plan
        .iter()
        .map(|plan| format!("{certainty} the plan {} ({}): {}", plan.id, plan.state.name(), plan.title));
    let intent = why.intent.iter().map(|intent| format!("{certainty} the intent {}", message(intent)));
    let said = why.said.iter().map(|said| format!("Its painter about it: {}", message(said)));
    plan.chain(intent).chain(said).collect()
}
