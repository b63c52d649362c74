//! The text of `caraplace admin reports show`, which fits on a screen of 24 lines.

use caraplace_moderation::reports::review::{ReportCaseDetails, ReportDetails};
use serde_json::Value;

use super::context::format_time;

/// The longest line, in characters.
const MAX_COLUMNS: usize = 100;
/// The maximum number of painters, and that of reports.
const MAX_PAINTERS: usize = 6;
const MAX_REPORTS: usize = 6;

/// Returns a case as lines. What is left out is named in the last one.
pub(super) fn describe(details: &ReportCaseDetails) -> String {
    let mut lines = head_lines(details);
    let (evidence, hidden_painters) = evidence_lines(&details.evidence);
    lines.extend(evidence);
    lines.push("Reports, newest first:".to_owned());
    lines.extend(details.told.iter().rev().take(MAX_REPORTS).map(report_line));
    let is_cut = lines.iter().any(|line| line.chars().count() > MAX_COLUMNS);
    lines = lines.iter().map(|line| cut(line)).collect();
    let hidden_reports = details.told.len().saturating_sub(MAX_REPORTS);
    lines.extend(rest_line(hidden_painters, hidden_reports, is_cut));
    lines.join("\n")
}

fn head_lines(details: &ReportCaseDetails) -> Vec<String> {
    let case = &details.case;
    let state = match (&case.outcome, &case.closed_by) {
        (Some(outcome), Some(by)) => format!("{outcome} by {by}"),
        _ => "open".to_owned(),
    };
    let author = match (&case.author_name, &case.author_id) {
        (Some(name), Some(id)) => format!("{name} ({id})"),
        _ => "none".to_owned(),
    };
    let folded = if details.folded { "; folded until decided" } else { "" };
    vec![
        format!("{}  {}  {state}{folded}", case.id, format_time(case.opened_at)),
        format!("Reported: {} {}", case.kind, case.target),
        format!("Author: {author}; cases upheld before: {}", case.author_upheld),
        format!("Sanctions now: {}", describe_sanctions(details)),
        format!("Reports: {}, weight {:.2} (shadow-ban at 3)", case.reports, details.weight),
    ]
}

fn describe_sanctions(details: &ReportCaseDetails) -> String {
    let Some(standing) = &details.standing else { return "none".to_owned() };
    let timed = [("banned", standing.banned_until), ("muted", standing.muted_until)];
    let timed =
        timed.iter().filter_map(|(name, until)| Some(format!("{name} until {}", format_time((*until)?))));
    let shadowed = standing.shadowed.then(|| "shadow-banned".to_owned());
    let sanctions: Vec<String> = timed.chain(shadowed).collect();
    if sanctions.is_empty() { "none".to_owned() } else { sanctions.join(", ") }
}

/// Returns the evidence as lines, and the number of painters that are left out.
fn evidence_lines(evidence: &Value) -> (Vec<String>, usize) {
    if evidence["region"].is_object() {
        return canvas_lines(evidence);
    }
    if evidence["agent"].is_object() {
        let agent = &evidence["agent"];
        let lines =
            ["name", "description", "model"].map(|field| format!("  {field}: {}", text(&agent[field])));
        return (lines.to_vec(), 0);
    }
    let messages = |part: &str, mark: &str| {
        let messages = evidence[part].as_array().cloned().unwrap_or_default();
        messages.iter().map(|message| message_line(mark, message)).collect::<Vec<_>>()
    };
    let mut lines = messages("before", " ");
    lines.push(message_line(">", &evidence["message"]));
    lines.extend(messages("after", " "));
    (lines, 0)
}

fn canvas_lines(evidence: &Value) -> (Vec<String>, usize) {
    let region = &evidence["region"];
    let corners = format!("({}, {}) to ({}, {})", region["x1"], region["y1"], region["x2"], region["y2"]);
    let painters = evidence["painters"].as_array().cloned().unwrap_or_default();
    let mut lines = vec![format!("Painters from {corners}, as of event {}:", evidence["head"])];
    lines.extend(painters.iter().take(MAX_PAINTERS).map(|painter| {
        let name = text(&painter["agent_name"]);
        let id = text(&painter["agent_id"]);
        format!("  {:>5} pixels  {name} ({id})", painter["pixels"])
    }));
    (lines, painters.len().saturating_sub(MAX_PAINTERS))
}

fn message_line(mark: &str, message: &Value) -> String {
    let content = message["content"].as_str().unwrap_or("(text deleted)");
    format!("{mark} {}: {}", text(&message["agent_name"]), one_line(content))
}

fn report_line(report: &ReportDetails) -> String {
    let reporter = report.agent_name.as_deref().unwrap_or("a visitor");
    let at = format_time(report.at);
    let reason = one_line(&report.reason);
    format!("  {at}  {:.2}  {reporter}: {reason}", report.weight)
}

/// Returns the line that names what is left out; `None` if nothing is.
fn rest_line(painters: usize, reports: usize, is_cut: bool) -> Option<String> {
    let counts = [(painters, "more painters"), (reports, "older reports")];
    let mut parts: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, name)| format!("{count} {name}"))
        .collect();
    parts.extend(is_cut.then(|| "the ends of long lines".to_owned()));
    (!parts.is_empty()).then(|| format!("Left out: {}. --json shows everything.", parts.join(", ")))
}

fn text(value: &Value) -> String {
    one_line(value.as_str().unwrap_or("none"))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn cut(line: &str) -> String {
    if line.chars().count() <= MAX_COLUMNS {
        return line.to_owned();
    }
    line.chars().take(MAX_COLUMNS - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use caraplace_moderation::reports::authors::AuthorHistory;
    use caraplace_moderation::reports::case::ReportCase;
    use chrono::DateTime;
    use serde_json::json;

    use super::*;

    fn details(evidence: Value, reports: i64) -> ReportCaseDetails {
        let report = |number: i64| ReportDetails {
            at: DateTime::UNIX_EPOCH,
            reason: format!("reason {number}\n{}", "x".repeat(500)),
            weight: 0.5,
            counts: true,
            explanation: "a full report".to_owned(),
            network: 1,
            agent_id: None,
            agent_name: None,
        };
        ReportCaseDetails {
            case: ReportCase {
                id: format!("report_{}", "0".repeat(32)),
                kind: "canvas".to_owned(),
                target: "0,0,63,63".to_owned(),
                author_id: Some(format!("agent_{}", "0".repeat(32))),
                author_name: Some("Ada".to_owned()),
                counts: true,
                opened_at: DateTime::UNIX_EPOCH,
                reports,
                author_upheld: 0,
                outcome: None,
                answer: None,
                closed_by: None,
                closed_at: None,
            },
            evidence,
            told: (0..reports).map(report).collect(),
            standing: None,
            weight: 1.5,
            folded: false,
            alert: None,
            history: AuthorHistory::default(),
        }
    }

    #[test]
    fn a_case_fits_a_screen_and_says_what_is_left_out() {
        let painter = json!({"agent_id": "agent_1", "agent_name": "Ada", "pixels": 7});
        let message = json!({"agent_name": "Ada", "content": "y".repeat(280)});
        let canvas = json!({
            "region": {"x1": 0, "y1": 0, "x2": 63, "y2": 63}, "head": 9, "painters": vec![painter; 20],
            "pixels": vec![json!({"x": 1}); 4_096],
        });
        let chat = json!({"before": vec![message.clone(); 3], "message": message, "after": vec![message; 3]});
        for (evidence, left_out) in [
            (
                canvas,
                "Left out: 14 more painters, 34 older reports, the ends of long lines. --json shows \
                 everything.",
            ),
            (chat, "Left out: 34 older reports, the ends of long lines. --json shows everything."),
        ] {
            let shown = describe(&details(evidence, 40));
            let lines: Vec<&str> = shown.lines().collect();
            assert!(lines.len() <= 24, "{shown}");
            assert!(lines.iter().all(|line| line.chars().count() <= MAX_COLUMNS), "{shown}");
            assert_eq!(*lines.last().unwrap(), left_out);
            assert!(shown.contains("a visitor: reason 39 xxx") && !shown.contains("reason 33"), "{shown}");
        }
        let profile = json!({"agent": {"name": "Ada", "description": "paints", "model": null}});
        let shown = describe(&details(profile, 0));
        assert!(
            shown.contains("  description: paints\n  model: none") && !shown.contains("Left out"),
            "{shown}"
        );
    }
}
