//! Runs the tool calls of a turn. If a call fails or is denied, the model gets the refusal as its result, and
//! the turn goes on.

use chrono::TimeDelta;
use platform::refusal::{DraftRefusal, Refusal, internal};
use platform::telemetry::METRICS;
use serde_json::{Map, Value};
use text_filters::content::clean_unchecked;
use tokio::task::JoinSet;

use super::events::{ToolStatus, ToolStep, TurnEvent};
use super::model::{ModelToolCall, ModelToolResult};
use super::turn::{Turn, TurnWork, log_internal};
use crate::drafts::Draft;
use crate::tools::call::{ToolCall, ToolResult};
use crate::tools::guide::text_limit::limit_text;
use crate::tools::registry::find_tool;
use crate::tools::tool::{Tool, ToolEffect};

/// The time limit of a tool.
const TOOL_TIMEOUT: TimeDelta = TimeDelta::seconds(20);
/// The maximum number of drafts of a turn.
const MAX_DRAFTS: usize = 2;
/// The maximum length of the name of an unknown tool, in characters.
const MAX_NAME_CHARS: usize = 40;

/// The result of a call, for the visitor and for the model.
struct CallOutcome {
    status: ToolStatus,
    text: String,
    draft: Option<Box<Draft>>,
}

impl CallOutcome {
    fn failed(text: impl Into<String>) -> Self {
        Self { status: ToolStatus::Failed, text: text.into(), draft: None }
    }

    fn denied(text: impl Into<String>) -> Self {
        Self { status: ToolStatus::Denied, ..Self::failed(text) }
    }
}

/// Runs a call, and tells the streams about it.
pub(super) async fn run(turn: &Turn, work: &mut TurnWork, call: ModelToolCall) -> ModelToolResult {
    let arguments = parse_arguments(&call.arguments);
    let tool = find_tool(&call.name);
    let name = tool.map_or_else(|| short_name(&call.name), |tool| tool.name.to_owned());
    let none = Map::new();
    let summary =
        tool.map_or_else(|| name.clone(), |tool| tool.summarize(arguments.as_ref().unwrap_or(&none)));
    let mut step =
        ToolStep { call: work.steps.len() as u32 + 1, tool: name, summary, status: ToolStatus::Running };
    turn.log.push(step.clone().into());
    let outcome = match (tool, arguments) {
        (None, _) => CallOutcome::failed("There is no tool with this name."),
        (_, None) => CallOutcome::failed("The arguments are not a JSON object."),
        (Some(tool), Some(arguments)) => match find_obstacle(work, tool) {
            Some(outcome) => outcome,
            None => run_tool(turn, tool, arguments).await,
        },
    };
    step.status = outcome.status;
    count(outcome.status);
    turn.log.push(step.clone().into());
    work.steps.push(step);
    if let Some(draft) = outcome.draft {
        turn.log.push(TurnEvent::from(draft.as_ref()));
        work.drafts.push(draft.id);
    }
    ModelToolResult { id: call.id, text: outcome.text, is_error: outcome.status != ToolStatus::Done }
}

/// Returns the outcome of a call that is not run; `None` if it can be.
fn find_obstacle(work: &TurnWork, tool: &Tool) -> Option<CallOutcome> {
    if !tool.is_for_guide() {
        let text = "This tool is for agents only; the guide can read and propose.";
        return Some(CallOutcome::denied(text));
    }
    if tool.effect == ToolEffect::Proposes && work.drafts.len() >= MAX_DRAFTS {
        let text = format!("Not run: a question leads to at most {MAX_DRAFTS} drafts. Say what is missing.");
        return Some(CallOutcome::failed(text));
    }
    None
}

/// Runs a tool in a task of its own, which is aborted if it takes too long or the turn ends.
async fn run_tool(turn: &Turn, tool: &'static Tool, arguments: Map<String, Value>) -> CallOutcome {
    let call = ToolCall::new(turn.tools.clone(), turn.caller.clone(), arguments);
    let clock = &turn.tools.app.state.clock;
    let mut tasks = JoinSet::new();
    tasks.spawn(tool.call_for_guide(call));
    tokio::select! {
        ended = tasks.join_next() => {
            let ended = ended.and_then(Result::ok);
            describe(ended.unwrap_or_else(|| Err(internal("running a tool")("the tool panicked"))))
        }
        () = clock.sleep_until(clock.now() + TOOL_TIMEOUT) => {
            CallOutcome::failed("The tool did not end within 20 seconds. Ask it for less.")
        }
    }
}

fn describe(result: ToolResult) -> CallOutcome {
    match result {
        Ok(output) => CallOutcome { status: ToolStatus::Done, text: output.text, draft: output.draft },
        Err(refusal) if is_denial(&refusal) => {
            let text = format!("Denied: {refusal} The person may not have this done. Say so.");
            CallOutcome::denied(limit_text(&text))
        }
        Err(Refusal::Internal(error)) => {
            log_internal(&Refusal::Internal(error));
            CallOutcome::failed("The tool had an unexpected error. Answer without it.")
        }
        Err(refusal) => CallOutcome::failed(limit_text(&format!("Refused: {refusal}"))),
    }
}

/// Returns true if the visitor may not have the call made, however it is made.
fn is_denial(refusal: &Refusal) -> bool {
    use DraftRefusal::{NeedsPass, NotForOperators, OperatorsOnly};
    match refusal {
        Refusal::Denied { .. } | Refusal::KeyMissing | Refusal::KeyInvalid | Refusal::ScopeMissing { .. } => {
            true
        }
        Refusal::Draft(draft) => matches!(draft, NeedsPass | NotForOperators | OperatorsOnly),
        _ => false,
    }
}

/// Parses the arguments of a call; `None` if they are not a JSON object. Some models send nothing for none.
fn parse_arguments(text: &str) -> Option<Map<String, Value>> {
    if text.trim().is_empty() { Some(Map::new()) } else { serde_json::from_str(text).ok() }
}

/// Returns the name of an unknown tool for the visitor. The model has written it, so it may be anything.
fn short_name(name: &str) -> String {
    let bounded: String = name.chars().take(MAX_NAME_CHARS).collect();
    clean_unchecked(&bounded)
}

fn count(status: ToolStatus) {
    match status {
        ToolStatus::Done => METRICS.guide.calls_done.inc(),
        ToolStatus::Denied => METRICS.guide.calls_denied.inc(),
        ToolStatus::Failed | ToolStatus::Running => METRICS.guide.calls_failed.inc(),
    }
}

#[cfg(test)]
mod tests {
    use rules::rights::Denied;

    use super::*;
    use crate::tools::guide::text_limit::MAX_RESULT_BYTES;

    #[test]
    fn arguments_are_an_object_or_nothing() {
        assert_eq!(parse_arguments(" "), Some(Map::new()));
        assert_eq!(parse_arguments(r#"{"a": 1}"#).unwrap()["a"], 1);
        for wrong in ["[]", "1", "{", "{\"a\":"] {
            assert_eq!(parse_arguments(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn refusals_become_results_for_the_model() {
        let denied = describe(Err(Denied::NotForAccountKind.into()));
        assert_eq!(denied.status, ToolStatus::Denied);
        let refused = describe(Err(Refusal::invalid("q", "q must have 1 to 200 characters.")));
        let expected = (ToolStatus::Failed, "Refused: q must have 1 to 200 characters.");
        assert_eq!((refused.status, refused.text.as_str()), expected);
        let broken = describe(Err(internal("reading a plan")("the secret cause")));
        assert_eq!(broken.status, ToolStatus::Failed);
        assert!(!broken.text.contains("secret"), "{}", broken.text);
        let long = describe(Err(Refusal::invalid("q", "x".repeat(2 * MAX_RESULT_BYTES))));
        assert!(long.text.len() <= MAX_RESULT_BYTES, "{}", long.text.len());
    }

    #[test]
    fn names_of_unknown_tools_are_short_and_clean() {
        assert_eq!(short_name("rm\u{202e}\n-rf"), "rm -rf");
        assert_eq!(short_name(&"x".repeat(1_000)).len(), MAX_NAME_CHARS);
    }
}
