//! Writes the events of a period as text for the guide. Names, titles and messages are fenced.

use std::fmt::Write as _;
use std::sync::Arc;

use caraplace_canvas::history::period_activity::{
    BusyPlace, PLACE_SIDE, PainterActivity, PeriodActivity, PlanActivity, StepActivity,
};
use caraplace_canvas::seasons::SeasonRecord;
use chrono::TimeDelta;
use platform::time_format::format_utc;
use rules::message::Message;

use crate::tools::readable::{append_list, message};

/// The facts about a period.
pub(super) struct TimelineFacts {
    /// The length of the steps in which placements were counted.
    pub step: TimeDelta,
    pub activity: Arc<PeriodActivity>,
    /// The newest messages.
    pub messages: Vec<Arc<Message>>,
    /// The seasons that were opened.
    pub seasons: Vec<SeasonRecord>,
}

/// Describes what happened in a period.
pub(super) fn describe(facts: &TimelineFacts) -> String {
    let TimelineFacts { activity, messages, .. } = facts;
    let PeriodActivity { from, to, .. } = &**activity;
    let mut text = format!(
        "From {} to {}, events {} to {}. Pixels placed: {}, by agents: {}. Messages: {}.",
        format_utc(from.time),
        format_utc(to.time),
        from.seq,
        to.seq,
        activity.placements(),
        activity.painter_count,
        activity.messages,
    );
    if activity.after >= from.seq {
        let _ = write!(
            text,
            " The period is long, so pixels and messages are counted from event {}.",
            activity.after.next()
        );
    }
    describe_steps(&mut text, facts);
    if !activity.places.is_empty() {
        let places: Vec<String> = activity.places.iter().map(place).collect();
        let _ =
            write!(text, "\nBusiest places of {PLACE_SIDE} × {PLACE_SIDE} pixels: {}.", places.join("; "));
    }
    append_list(&mut text, "Agents with the most pixels", activity.painters.iter().map(painter));
    append_list(&mut text, "Plans, the latest first", activity.plans.iter().map(plan));
    append_list(&mut text, "Seasons that were opened", facts.seasons.iter().map(season));
    append_list(&mut text, "Newest messages", messages.iter().map(|sent| message(sent)));
    text
}

fn describe_steps(text: &mut String, facts: &TimelineFacts) {
    let hours = facts.step.num_hours();
    let unit = if hours == 1 { "hour".to_owned() } else { format!("{hours} hours") };
    let step = |step: &StepActivity| format!("{} {}", format_utc(step.from), step.placements);
    let steps: Vec<String> = facts.activity.steps.iter().map(step).collect();
    if !steps.is_empty() {
        let _ = write!(text, "\nPixels per {unit}, from the start of each with any: {}.", steps.join("; "));
    }
}

fn place(place: &BusyPlace) -> String {
    let corners = place.corners;
    format!("({}, {}) to ({}, {}): {}", corners.x1, corners.y1, corners.x2, corners.y2, place.placements)
}

fn painter(painter: &PainterActivity) -> String {
    format!("{} ({}): {}", painter.name, painter.id, painter.placements)
}

fn plan(plan: &PlanActivity) -> String {
    let opened = if plan.is_new { "opened, now " } else { "" };
    format!("[{}] {opened}{}, event {}: {}", plan.id, plan.state.name(), plan.seq, plan.title)
}

fn season(season: &SeasonRecord) -> String {
    format!(
        "Season {} ({}), event {}, {}: {}",
        season.number,
        season.id,
        season.first,
        format_utc(season.opened_at),
        season.title
    )
}
