//! The loop of a turn: asks the model, runs the tools that it calls, and asks again with their results, until
//! it answers.

use platform::refusal::Refusal;
use platform::schema::bounds::FieldBounds;
use platform::telemetry::METRICS;

use super::estimate::{MAX_CALLS, RequestLimits, request_bytes};
use super::events::TurnFailure;
use super::model::{ModelAnswer, ModelMessage, ModelRequest, ModelTool, ModelToolCall, ModelToolResult};
use super::turn::{Turn, TurnWork, log_internal};
use super::{history, prompt, tool_calls};
use crate::companion::tools::registry::guide_tools;

/// The result of a call for which nothing is left.
const NO_CALLS_LEFT: &str =
    "Not run: you have used up the tool calls of this question. Answer with what you have.";
const NO_TOKENS_LEFT: &str = "Not run: no room is left for its result. Answer with what you have.";

/// Answers the question of a turn.
///
/// # Errors
/// The reason why there is no answer. `work` has what the turn has taken until then.
pub(super) async fn run(turn: &Turn, work: &mut TurnWork) -> Result<(), TurnFailure> {
    let mut request = first_request(turn).await.map_err(|refusal| {
        log_internal(&refusal);
        TurnFailure::InternalError
    })?;
    loop {
        let calls_left = MAX_CALLS - work.steps.len();
        let Some(limits) = work.tokens.next_limits(request_bytes(&request), calls_left) else {
            add_text(turn, work, prompt::NOTHING_LEFT);
            return Ok(());
        };
        let answer = ask_model(turn, work, &mut request, limits).await?;
        if answer.calls.is_empty() || !limits.may_call_tools {
            end_answer(turn, work, &answer);
            return Ok(());
        }
        let calls = answer.calls.clone();
        request.messages.push(ModelMessage::Model { text: answer.text, calls: answer.calls });
        request.messages.push(ModelMessage::ToolResults(Vec::new()));
        for call in calls {
            let result = run_call(turn, work, &request, call).await;
            if let Some(ModelMessage::ToolResults(results)) = request.messages.last_mut() {
                results.push(result);
            }
        }
    }
}

/// Returns the request with the question and what came before it.
async fn first_request(turn: &Turn) -> Result<ModelRequest, Refusal> {
    let state = &turn.tools.app.state;
    let question = &turn.question;
    let mut messages = history::read(state, question, turn.guide.settings.turn_tokens).await?;
    let text = prompt::question(state, &question.content, &turn.question.context)?;
    messages.push(ModelMessage::Visitor(text));
    Ok(ModelRequest {
        system: prompt::instructions(),
        messages,
        tools: list_tools(turn),
        may_call_tools: true,
        max_tokens: 0,
        max_lost_tokens: 0,
    })
}

fn list_tools(turn: &Turn) -> Vec<ModelTool> {
    let state = &turn.tools.app.state;
    let size = state.read_world(|world| world.season.size);
    let bounds = FieldBounds::new(&state.game(), size);
    let tools = guide_tools(bounds.has_chat()).map(|tool| ModelTool {
        name: tool.name,
        description: tool.description,
        schema: tool.guide_schema(&bounds),
    });
    tools.collect()
}

/// Sends a request, and passes the text of the answer on as it comes.
async fn ask_model(
    turn: &Turn,
    work: &mut TurnWork,
    request: &mut ModelRequest,
    limits: RequestLimits,
) -> Result<ModelAnswer, TurnFailure> {
    request.may_call_tools = limits.may_call_tools;
    request.max_tokens = limits.max_tokens as u32;
    request.max_lost_tokens = limits.max_lost_tokens;
    let input_bytes = request_bytes(request);
    work.tokens.begin_request(input_bytes);
    work.begin_part();
    let mut forward = |text: &str| {
        work.tokens.add_text(text);
        add_text(turn, work, text);
    };
    match turn.guide.client.answer(request, &mut forward).await {
        Ok(answer) => {
            work.tokens.end_request(input_bytes, answer.usage, answer.lost_usage);
            Ok(answer)
        }
        Err(failure) => {
            work.tokens.fail_request(failure.usage);
            METRICS.guide.model_errors.inc();
            tracing::warn!(%failure, tokens = failure.usage.total(), "a turn of the guide has no answer");
            Err(TurnFailure::ModelUnavailable)
        }
    }
}

/// Runs a call if the turn has calls and tokens left for it.
async fn run_call(
    turn: &Turn,
    work: &mut TurnWork,
    request: &ModelRequest,
    call: ModelToolCall,
) -> ModelToolResult {
    let reason = if work.steps.len() >= MAX_CALLS {
        NO_CALLS_LEFT
    } else if work.tokens.has_room_for_result(request_bytes(request)) {
        return tool_calls::run(turn, work, call).await;
    } else {
        NO_TOKENS_LEFT
    };
    ModelToolResult { id: call.id, text: reason.to_owned(), is_error: true }
}

/// Completes an answer that is empty or was cut off.
fn end_answer(turn: &Turn, work: &mut TurnWork, answer: &ModelAnswer) {
    if answer.text.trim().is_empty() {
        add_text(turn, work, prompt::NO_ANSWER);
    } else if answer.is_cut_off {
        add_text(turn, work, prompt::CUT_OFF);
    }
}

fn add_text(turn: &Turn, work: &mut TurnWork, text: &str) {
    let added = work.add_text(text);
    if !added.is_empty() {
        turn.log.push_text(&added);
    }
}
