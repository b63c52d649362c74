//! The fields of proposed changes. They are those of the request that makes the change by hand, with the id
//! from its path.

use caraplace_canvas::plans::new_plan::NewPlanBody;
use caraplace_moderation::actions::OperatorAction;
use caraplace_moderation::actions::body::{MuteBody, ReasonBody};
use caraplace_talk::chat::new_message::{NewMessage, NewMessageType};
use chrono::{DateTime, Utc};
use platform::input;
use platform::input::strict_json;
use platform::refusal::{Refusal, internal};
use rules::grid::Corners;
use rules::numbers::Seq;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use text_filters::content::clean_unchecked;
use utoipa::ToSchema;

use super::DraftKind;
use super::subject::{parse_account_id, parse_message_id};

/// The maximum length of a change as JSON, in bytes.
const MAX_CHANGE_BYTES: usize = 16 * 1_024;
/// The fields with texts that people read.
const TEXT_FIELDS: [&str; 5] = ["content", "title", "note", "reason", "why"];

/// A report: exactly one of `message_id`, `agent_id` and `region` names what it is about.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ProposedReport {
    /// A message: `msg_…`.
    pub message_id: Option<String>,
    /// The name, description or model of an account: `agent_…` or `viewer_…`.
    pub agent_id: Option<String>,
    /// The pixels between two corners, which are included; at most 64×64.
    #[serde(default, deserialize_with = "strict_json::optional")]
    pub region: Option<Corners>,
    /// The problem, in up to 500 characters.
    #[schema(min_length = 1)]
    pub reason: String,
}

/// The taking down of a message.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ProposedHide {
    /// The message: `msg_…`.
    pub message_id: String,
    /// The reason for the audit log, in up to 500 characters.
    #[schema(min_length = 1)]
    pub reason: String,
}

/// The muting of an account.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ProposedMute {
    /// The account: `agent_…` or `viewer_…`.
    pub agent_id: String,
    /// The end; null for no end.
    pub until: Option<DateTime<Utc>>,
    /// The reason, in up to 500 characters. It is shown to the muted account.
    #[schema(min_length = 1)]
    pub reason: String,
}

/// A proposed change.
#[derive(Debug)]
pub(super) enum DraftChange {
    Plan(NewPlanBody),
    Message(NewMessage),
    Intent(NewMessage),
    Report(ProposedReport),
    /// An action of operators.
    Action(OperatorAction),
}

impl DraftChange {
    /// Parses the fields of a change of this kind, as strictly as the body of a request.
    ///
    /// # Errors
    /// `Input` with the field, or `ContainsNul`.
    pub(super) fn parse(kind: DraftKind, change: &Value) -> Result<Self, Refusal> {
        if contains_nul(change) {
            return Err(Refusal::ContainsNul);
        }
        let bytes = serde_json::to_vec(change).map_err(internal("writing a proposed change"))?;
        if bytes.len() > MAX_CHANGE_BYTES {
            let detail = format!("change has more than {MAX_CHANGE_BYTES} bytes. Propose something smaller.");
            return Err(Refusal::invalid("change", detail));
        }
        Ok(match kind {
            DraftKind::Plan => Self::Plan(read(&bytes)?),
            DraftKind::Message => Self::Message(read_message(&bytes, NewMessageType::Message)?),
            DraftKind::Intent => Self::Intent(read_message(&bytes, NewMessageType::Intent)?),
            DraftKind::Report => Self::Report(read(&bytes)?),
            DraftKind::Hide => Self::Action(read_hide(&bytes)?),
            DraftKind::Mute => Self::Action(read_mute(&bytes)?),
            DraftKind::Rollback => Self::Action(OperatorAction::BeginRollback(read(&bytes)?)),
            DraftKind::Announcement => Self::Action(OperatorAction::Announce(read(&bytes)?)),
            DraftKind::Setting => Self::Action(OperatorAction::ChangeSetting(read(&bytes)?)),
        })
    }
}

/// Returns the fields of a proposal as they are stored: texts are cleaned, and what would depend on the time
/// of the approval is fixed, so that the approved change is the one that a person sees.
pub(super) fn fix_fields(kind: DraftKind, mut fields: Map<String, Value>, head: Seq) -> Value {
    for (_, text) in fields.iter_mut().filter(|(name, _)| TEXT_FIELDS.contains(&name.as_str())) {
        if let Value::String(text) = text
            && text.len() <= MAX_CHANGE_BYTES
        {
            *text = clean_unchecked(text);
        }
    }
    match kind {
        DraftKind::Message | DraftKind::Intent => {
            fields.entry("type").or_insert_with(|| json!(kind));
        }
        DraftKind::Rollback if fields.get("to").is_none_or(Value::is_null) => {
            fields.insert("to".to_owned(), json!(head.to_string()));
        }
        _ => {}
    }
    Value::Object(fields)
}

fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Refusal> {
    input::json::read(bytes)
}

fn read_message(bytes: &[u8], kind: NewMessageType) -> Result<NewMessage, Refusal> {
    let message: NewMessage = read(bytes)?;
    if message.kind.unwrap_or_default() != kind {
        return Err(Refusal::invalid("type", "type must be that of the draft. Leave it out."));
    }
    Ok(message)
}

fn read_hide(bytes: &[u8]) -> Result<OperatorAction, Refusal> {
    let ProposedHide { message_id, reason } = read(bytes)?;
    Ok(OperatorAction::HideMessage(parse_message_id(&message_id)?, ReasonBody { reason }))
}

fn read_mute(bytes: &[u8]) -> Result<OperatorAction, Refusal> {
    let ProposedMute { agent_id, until, reason } = read(bytes)?;
    let body = MuteBody { until, reason: Some(reason), why: None };
    Ok(OperatorAction::Mute(parse_account_id(&agent_id)?, body))
}

/// Returns true if a text contains NUL, which PostgreSQL does not store.
fn contains_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(values) => values.iter().any(contains_nul),
        Value::Object(fields) => {
            fields.iter().any(|(name, value)| name.contains('\0') || contains_nul(value))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use platform::refusal::InputErrorKind;

    fn fix(kind: DraftKind, fields: Value) -> Value {
        let Value::Object(fields) = fields else { panic!("no object") };
        fix_fields(kind, fields, Seq(42))
    }

    #[test]
    fn fields_are_as_strict_as_those_of_a_request() {
        let parse = |kind, fields: Value| match DraftChange::parse(kind, &fields) {
            Ok(_) => None,
            Err(Refusal::Input(error)) => Some((error.kind, error.field.unwrap_or_default().into_owned())),
            Err(refusal) => panic!("{refusal}"),
        };
        let hide = json!({"message_id": format!("msg_{}", "0".repeat(32)), "reason": "spam"});
        assert_eq!(parse(DraftKind::Hide, hide.clone()), None);
        assert_eq!(
            parse(DraftKind::Mute, hide),
            Some((InputErrorKind::Unknown, "message_id".to_owned())),
            "the fields are those of the kind"
        );
        assert_eq!(
            parse(DraftKind::Setting, json!({"name": "a", "value": 1})),
            Some((InputErrorKind::Missing, "reason".to_owned()))
        );
        let rows = vec!["0".repeat(64); 400];
        assert_eq!(
            parse(DraftKind::Plan, json!({"title": "a", "x": 0, "y": 0, "rows": rows})),
            Some((InputErrorKind::Invalid, "change".to_owned()))
        );
        assert_eq!(
            parse(DraftKind::Message, json!({"content": "a", "type": "intent"})),
            Some((InputErrorKind::Invalid, "type".to_owned()))
        );
        let nul = DraftChange::parse(DraftKind::Message, &json!({"content": "a\0"}));
        assert!(matches!(nul, Err(Refusal::ContainsNul)));
    }

    #[test]
    fn texts_are_cleaned_and_values_of_settings_are_not() {
        let announcement =
            fix(DraftKind::Announcement, json!({"content": " a\u{202e}\nb\0 ", "reason": "c"}));
        assert_eq!(announcement, json!({"content": "a b", "reason": "c"}));
        let setting = json!({"name": "words", "value": "a\nb", "reason": "c"});
        assert_eq!(fix(DraftKind::Setting, setting.clone()), setting);
        let former = fix(DraftKind::Announcement, json!({"content": "a", "why": "c\u{202e}"}));
        assert_eq!(former, json!({"content": "a", "why": "c"}));
    }

    /// Servers of several versions read the same drafts.
    #[test]
    fn stored_changes_stay_readable() {
        let region = json!({"x1": 0, "y1": 0, "x2": 3, "y2": 3});
        let account = format!("agent_{}", "0".repeat(32));
        let rollback = json!({
            "agent_id": "agent_1", "region": region, "report_id": "report_1", "from": "1", "to": "42",
            "reason": "spam", "reason_class": "vandalism",
        });
        for (kind, change) in [
            (DraftKind::Plan, json!({"title": "Sun", "note": "warm", "x": 1, "y": 2, "rows": ["8"]})),
            (DraftKind::Message, json!({"content": "hello", "type": "message"})),
            (DraftKind::Intent, json!({"content": "a sun", "type": "intent", "region": region})),
            (DraftKind::Report, json!({"region": region, "reason": "spam"})),
            (DraftKind::Hide, json!({"message_id": format!("msg_{}", "0".repeat(32)), "reason": "spam"})),
            (
                DraftKind::Mute,
                json!({"agent_id": account, "until": "2999-01-01T00:00:00Z", "reason": "spam"}),
            ),
            (DraftKind::Mute, json!({"agent_id": account, "until": null, "reason": "spam"})),
            (DraftKind::Mute, json!({"agent_id": account, "reason": "spam"})),
            (DraftKind::Rollback, rollback),
            (DraftKind::Announcement, json!({"content": "Closing at nine", "reason": "the evening"})),
            (DraftKind::Setting, json!({"name": "max_charges", "value": 12, "reason": "more"})),
            (DraftKind::Setting, json!({"name": "max_charges", "value": null, "reason": "less"})),
        ] {
            let read = DraftChange::parse(kind, &change).unwrap();
            assert_eq!(matches!(read, DraftChange::Action(_)), kind.is_for_operators(), "{read:?}");
        }
    }

    #[test]
    fn what_depends_on_the_time_is_fixed() {
        let message = fix(DraftKind::Intent, json!({"content": "a"}));
        assert_eq!(message, json!({"content": "a", "type": "intent"}));
        for to in [json!({"from": "1"}), json!({"from": "1", "to": null})] {
            assert_eq!(fix(DraftKind::Rollback, to), json!({"from": "1", "to": "42"}));
        }
        let fixed = json!({"from": "1", "to": "7"});
        assert_eq!(fix(DraftKind::Rollback, fixed.clone()), fixed);
    }
}
