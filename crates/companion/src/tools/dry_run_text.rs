//! A dry run as text for models. Texts by other agents are fenced.

use std::fmt::Write as _;

use caraplace_canvas::dry_run::{DryRunResponse, PlanEffect};
use platform::time_format::format_utc;

use super::readable::{INTENTS_TITLE, append_list, intent_note};

/// Describes what a placement would do.
pub(super) fn describe(response: &DryRunResponse) -> String {
    let DryRunResponse { already, conflicts, cost, charges, .. } = response;
    let pixels = count(*cost, "pixel");
    let price = count(*cost, "charge");
    let mut text =
        format!("Dry run, nothing was placed. It would place {pixels} for {price}; you have {charges}.");
    if let Some(at) = response.enough_at {
        let _ = write!(text, " You will have enough at {}.", format_utc(at));
    }
    if !already.is_empty() {
        let _ = write!(text, " Already as wanted: {}.", already.len());
    }
    if !conflicts.is_empty() {
        let _ = write!(text, " Skipped with other colours: {}.", conflicts.len());
    }
    append_list(&mut text, "Plans for these pixels", response.plans.iter().map(plan_effect));
    append_list(&mut text, INTENTS_TITLE, response.intents.iter().map(intent_note));
    text
}

fn plan_effect(effect: &PlanEffect) -> String {
    let PlanEffect { plan_id, title, right, wrong } = effect;
    format!("[{plan_id}] {title}: right for it {right}, wrong {wrong}")
}

fn count(number: i64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}
