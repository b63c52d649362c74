//! Names of fields, and refusals of fields, in words for people.

use caraplace_http::response::problem::Problem;
use platform::refusal::codes::Code;

/// The labels of fields whose names do not say what they are.
const LABELS: [(&str, &str); 20] = [
    ("act", "Action"),
    ("active_days", "Seen within days"),
    ("age_days", "Registered within days"),
    ("agent_id", "Agent’s id"),
    ("ends_at", "End (UTC)"),
    ("from", "From: a time in UTC or an event number"),
    ("min_age_hours", "Opened hours ago, or earlier"),
    ("q", "Part of the text, or an id"),
    ("reason_class", "Class of the reason"),
    ("reply", "Answer to those who reported"),
    ("since", "From (UTC)"),
    ("sort", "Order"),
    ("to", "Until"),
    ("until", "Until (UTC)"),
    ("viewer_id", "Viewer’s id"),
    ("why", "Reason for the audit log"),
    ("x1", "Left"),
    ("x2", "Right"),
    ("y1", "Top"),
    ("y2", "Bottom"),
];

/// Returns the label of a field.
pub(super) fn field_label(name: &str) -> String {
    if let Some((_, label)) = LABELS.iter().find(|(known, _)| *known == name) {
        return (*label).to_owned();
    }
    let mut letters = name.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}", letters.as_str().replace('_', " "))
}

/// Returns the sentence of a refusal, which names a field as its form does.
pub(super) fn describe_refusal(problem: &Problem) -> String {
    let Some(field) = problem.text_field("field") else { return problem.detail.clone() };
    let label = field_label(field);
    if problem.code == Code::MissingField {
        return format!("“{label}” is missing.");
    }
    let is_named = problem.detail.get(..field.len()).is_some_and(|start| start.eq_ignore_ascii_case(field));
    match problem.detail.get(field.len()..).filter(|rest| is_named && rest.starts_with([' ', ':'])) {
        Some(rest) => format!("“{label}”{rest}"),
        None => format!("“{label}”: {}", problem.detail),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_name_fields_as_forms_do() {
        for (code, field, detail, expected) in [
            (Code::MissingField, "reason", "Missing field `reason`.", "“Reason” is missing."),
            (
                Code::InvalidField,
                "until",
                "until must be a time such as 2026-01-31T08:30.",
                "“Until (UTC)” must be a time such as 2026-01-31T08:30.",
            ),
            (Code::InvalidField, "width", "Width: invalid digit.", "“Width”: invalid digit."),
            (Code::InvalidField, "value", "links is 7.", "“Value”: links is 7."),
            (Code::InvalidField, "to", "today is no time.", "“Until”: today is no time."),
            (Code::InvalidField, "mail_address", "é", "“Mail address”: é"),
        ] {
            assert_eq!(describe_refusal(&Problem::for_field(code, field, detail)), expected);
        }
        assert_eq!(describe_refusal(&Problem::new(Code::NotFound, "There is none.")), "There is none.");
    }
}
