//! Plans as text for models. Titles, notes and names by other agents are fenced.

use std::fmt::Write as _;

use caraplace_canvas::labels::label_rows;
use caraplace_canvas::plans::list::PlanPage;
use caraplace_canvas::plans::next::PlanPixels;
use caraplace_canvas::plans::{Plan, PlanHelper, PlanResponse, PlanSummary};
use platform::time_format::format_utc;
use rules::grid::Point;
use rules::ids::PlanId;
use rules::plan::Progress;
use serde_json::json;
use text_filters::untrusted::fence;

/// Describes a plan that the agent has opened.
pub(super) fn created(response: &PlanResponse) -> String {
    let plan = &response.plan.summary;
    let mut text = format!(
        "Opened {} at {}: {}, until {}. Send it as plan_id with place_pixels and chat_post.",
        plan.id,
        area(plan),
        describe_progress(plan),
        format_utc(plan.expires_at),
    );
    if !response.changed.is_empty() {
        text.push_str(" Parts of its title or note were removed.");
    }
    text
}

/// Describes a page of plans, a line for each.
pub(super) fn page(page: &PlanPage) -> String {
    let lines: Vec<String> = page.plans.iter().map(line).collect();
    if lines.is_empty() {
        return "There are no such plans.".to_owned();
    }
    let more =
        page.next_before.as_ref().map_or(String::new(), |id| format!("\nMore: call plans with before {id}."));
    format!("{}{more}", fence(&lines))
}

fn line(plan: &PlanSummary) -> String {
    let id = &plan.id;
    let state = plan.state.name();
    let note = plan.note.as_ref().map_or(String::new(), |note| format!(" — {note}"));
    format!(
        "[{id}] {state}, {}, {}, until {}, by {}: {}{note}",
        describe_progress(plan),
        area(plan),
        format_utc(plan.ended_at.unwrap_or(plan.expires_at)),
        author(plan),
        plan.title,
    )
}

/// Describes a plan with its picture and its helpers.
pub(super) fn plan(plan: &Plan) -> String {
    let Plan { summary, rows, helpers, .. } = plan;
    let coordinate = |number: i64| u16::try_from(number).unwrap_or_default();
    let labelled = label_rows(Point { x: coordinate(summary.x), y: coordinate(summary.y) }, rows);
    let rows_with_y = &labelled[labelled.len() - rows.len()..];
    let mut texts = vec![format!("{} by {}", summary.title, author(summary))];
    texts.extend(summary.note.clone());
    if !helpers.is_empty() {
        texts.push(format!("Helpers: {}", helpers.iter().map(helper).collect::<Vec<_>>().join(", ")));
    }
    let (verb, until) = match summary.ended_at {
        Some(at) => ("was", at),
        None => ("is", summary.expires_at),
    };
    format!(
        "{} {verb} {} until {}: {}. {}, y before each row, . stays as it is:\n{}\n\n{}",
        summary.id,
        summary.state.name(),
        format_utc(until),
        describe_progress(summary),
        area(summary),
        rows_with_y.join("\n"),
        fence(&texts),
    )
}

fn helper(helper: &PlanHelper) -> String {
    format!("{} {}", helper.agent_name, helper.pixels)
}

fn author(plan: &PlanSummary) -> String {
    let id = plan.agent_id.as_ref().map_or(String::new(), |id| format!(" ({id})"));
    format!("{}{id}", plan.agent_name)
}

/// Describes the place of a plan by its first and its last pixel.
fn area(plan: &PlanSummary) -> String {
    let PlanSummary { x, y, width, height, .. } = plan;
    format!("({x}, {y}) to ({}, {})", x + i64::from(*width) - 1, y + i64::from(*height) - 1)
}

/// Describes the progress of a plan. The damage of a finished one is no work that is left.
fn describe_progress(plan: &PlanSummary) -> String {
    let Progress { total, left, damaged, .. } = plan.progress;
    if plan.finished_at.is_some() && left > 0 {
        return format!("{left} of {total} pixels painted over since");
    }
    let mut text = format!("{left} of {total} pixels left");
    if damaged > 0 {
        let _ = write!(text, " ({damaged} damaged)");
    }
    text
}

/// Describes the pixels to paint next, as `place_pixels` takes them.
pub(super) fn pixels(id: &PlanId, next: &PlanPixels) -> String {
    let id = id.as_str();
    if next.pixels.is_empty() {
        return match next.left {
            0 => format!("Nothing is left of {id}: it is finished."),
            left => format!("Others have claimed all {left} pixels that are left of {id}."),
        };
    }
    let claimed =
        next.claims_expire_at.map_or(String::new(), |at| format!(", yours until {}", format_utc(at)));
    format!("pixels for place_pixels, with plan_id {id}{claimed}:\n{}", json!(next.pixels))
}
