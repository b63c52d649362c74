//! The tool that drafts a change, which a person then approves or rejects.

use platform::time_format::format_utc;
use serde::Deserialize;
use serde_json::{Map, Value};
use text_filters::untrusted::fence;
use utoipa::ToSchema;

use crate::drafts::{Draft, DraftDecider, DraftKind, DraftProposal, propose as drafts};
use crate::tools::call::{ToolCall, ToolOutput, ToolResult};

/// The change to draft.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ProposeArguments {
    /// Visitors: plan, report. Visitors with a Gallery Pass also: message, intent. Operators also: hide,
    /// mute, rollback, announcement, setting.
    pub kind: DraftKind,
    /// The fields of the change. plan: title, note?, x, y, rows (a hex digit per pixel, . leaves it; at most
    /// 64 by 64). message: content, reply_to?. intent: content, region {x1, y1, x2, y2}. report: message_id,
    /// agent_id or region; reason. hide: message_id, reason. mute: agent_id, until?, reason. rollback:
    /// agent_id or region, from, to?, reason. announcement: content, reason. setting: name, value, reason.
    #[schema(value_type = Object)]
    pub change: Map<String, Value>,
}

/// Stores a draft. Nothing else changes.
///
/// # Errors
/// The refusal of the same change by hand, `Draft`, or `LimitReached`.
pub async fn propose(call: ToolCall) -> ToolResult {
    let ProposeArguments { kind, change } = call.parse_arguments()?;
    let guide = call.guide()?;
    let proposal = DraftProposal { kind, change, run: guide.run };
    let draft = drafts::propose(call.app(), &guide.visitor, proposal).await?;
    let text = describe(&draft);
    Ok(ToolOutput { draft: Some(Box::new(draft)), ..super::output(text) })
}

fn describe(draft: &Draft) -> String {
    let person = match draft.decider {
        DraftDecider::Visitor => "the visitor must approve it below your answer",
        DraftDecider::Operator => "an operator decides; tell the visitor so",
    };
    format!(
        "Stored the draft {}. Nothing has changed: {person}, until {}. It says:\n{}",
        draft.id,
        format_utc(draft.expires_at),
        fence(&[&draft.summary]),
    )
}
