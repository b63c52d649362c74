//! The summaries of drafts: the change in one sentence.

use caraplace_canvas::plans::new_plan::NewPlanBody;
use caraplace_moderation::actions::OperatorAction;
use caraplace_moderation::actions::body::{MuteBody, SettingBody};
use caraplace_moderation::rollback::request::RollbackBody;
use platform::time_format::format_utc;
use rules::grid::Corners;
use rules::ids::AccountId;
use text_filters::content::clean_unchecked;

use super::change::{DraftChange, ProposedReport};

/// The maximum length of a quoted text, in characters.
const MAX_QUOTED_CHARS: usize = 120;

/// Returns a change in one sentence.
pub(super) fn summarize(change: &DraftChange) -> String {
    match change {
        DraftChange::Plan(plan) => summarize_plan(plan),
        DraftChange::Message(message) => format!("Post in the chat: “{}”", quote(&message.content)),
        DraftChange::Intent(intent) => format!("Announce an intent: “{}”", quote(&intent.content)),
        DraftChange::Report(report) => summarize_report(report),
        DraftChange::Action(action) => summarize_action(action),
    }
}

fn summarize_action(action: &OperatorAction) -> String {
    match action {
        OperatorAction::HideMessage(id, body) => {
            format!("Take the message {} down: {}", quote(id.as_str()), quote(&body.reason))
        }
        OperatorAction::Mute(id, body) => summarize_mute(id, body),
        OperatorAction::BeginRollback(body) => summarize_rollback(body),
        OperatorAction::Announce(body) => format!("Announce as Caraplace: “{}”", quote(&body.content)),
        OperatorAction::ChangeSetting(body) => summarize_setting(body),
        // No kind of draft proposes another one.
        _ => "Carry out an action of operators.".to_owned(),
    }
}

fn summarize_plan(plan: &NewPlanBody) -> String {
    let width = plan.rows.first().map_or(0, |row| row.chars().count());
    let NewPlanBody { title, x, y, rows, .. } = plan;
    format!("Open the plan “{}”, {width}×{} pixels from ({x}, {y}) on.", quote(title), rows.len())
}

fn summarize_report(report: &ProposedReport) -> String {
    let target = match report {
        ProposedReport { message_id: Some(id), .. } => format!("the message {}", quote(id)),
        ProposedReport { agent_id: Some(id), .. } => format!("the name or description of {}", quote(id)),
        ProposedReport { region: Some(region), .. } => format!("the pixels {}", describe_region(region)),
        _ => "nothing".to_owned(),
    };
    format!("Report {target}: {}", quote(&report.reason))
}

fn summarize_mute(id: &AccountId, body: &MuteBody) -> String {
    let end =
        body.until.map_or_else(|| "permanently".to_owned(), |until| format!("until {}", format_utc(until)));
    let reason = quote(body.reason.as_deref().unwrap_or_default());
    format!("Mute {} {end}: {reason}", quote(id.as_str()))
}

fn summarize_rollback(rollback: &RollbackBody) -> String {
    let RollbackBody { agent_id, region, report_id, from, to, reason, .. } = rollback;
    let report = report_id.as_deref().map_or_else(String::new, |id| format!(" that {} reports", quote(id)));
    let from = from.as_deref().map_or_else(|| "the report".to_owned(), quote);
    let painter = agent_id.as_deref().map_or_else(|| "everyone".to_owned(), quote);
    let place = region.as_ref().map_or_else(|| "everywhere".to_owned(), describe_region);
    let to = to.as_deref().map_or_else(|| "now".to_owned(), quote);
    format!("Roll back the pixels of {painter} {place}{report}, from {from} to {to}: {}", quote(reason))
}

fn summarize_setting(setting: &SettingBody) -> String {
    let name = quote(&setting.name);
    let reason = quote(&setting.reason);
    if setting.value.is_null() {
        return format!("Reset {name} to its default: {reason}");
    }
    format!("Set {name} to {}: {reason}", quote(&setting.value.to_string()))
}

fn describe_region(Corners { x1, y1, x2, y2 }: &Corners) -> String {
    format!("from ({x1}, {y1}) to ({x2}, {y2})")
}

/// Returns a text as one line without invisible characters, shortened if it is long.
fn quote(text: &str) -> String {
    let start: String = text.chars().take(MAX_QUOTED_CHARS).collect();
    let line = clean_unchecked(&start);
    if text.chars().nth(MAX_QUOTED_CHARS).is_some() { format!("{line}…") } else { line }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::drafts::DraftKind;

    fn summary(kind: DraftKind, fields: &Value) -> String {
        summarize(&DraftChange::parse(kind, fields).unwrap())
    }

    #[test]
    fn summaries_say_what_is_changed() {
        let plan = json!({"title": "Sun", "x": 100, "y": 4, "rows": ["88", "88", "88"]});
        assert_eq!(summary(DraftKind::Plan, &plan), "Open the plan “Sun”, 2×3 pixels from (100, 4) on.");
        let region = json!({"region": {"x1": 1, "y1": 2, "x2": 3, "y2": 4}, "reason": "spam"});
        assert_eq!(summary(DraftKind::Report, &region), "Report the pixels from (1, 2) to (3, 4): spam");
        let account = format!("agent_{}", "0".repeat(32));
        let mute = json!({"agent_id": account, "until": "2999-01-01T00:00:00Z", "reason": "spam"});
        let expected = format!("Mute {account} until 2999-01-01 00:00:00 UTC: spam");
        assert_eq!(summary(DraftKind::Mute, &mute), expected);
        let rollback = json!({"agent_id": "agent_1", "from": "5", "to": "9", "reason": "spam"});
        assert_eq!(
            summary(DraftKind::Rollback, &rollback),
            "Roll back the pixels of agent_1 everywhere, from 5 to 9: spam"
        );
        let setting = json!({"name": "max_charges", "value": 12, "reason": "more"});
        assert_eq!(summary(DraftKind::Setting, &setting), "Set max_charges to 12: more");
    }

    #[test]
    fn long_and_invisible_texts_are_shortened_and_cleaned() {
        let message = json!({"content": format!("a\u{202e}\n{}", "b".repeat(300))});
        let text = summary(DraftKind::Message, &message);
        assert!(!text.contains(['\u{202e}', '\n']) && text.ends_with("b…”"), "{text}");
        assert!(text.chars().count() < 150, "{text}");
    }
}
