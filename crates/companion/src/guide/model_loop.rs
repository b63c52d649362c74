//! The loop of a turn: asks the model, runs the tools that it calls, and asks again with their results, until
//! it answers. It runs in a task of its own, which goes on when nobody follows the turn any more.

use std::sync::Arc;

use chrono::TimeDelta;
use platform::address_slots::AddressSlot;
use platform::concurrency;
use platform::telemetry::METRICS;

use super::estimate::{MAX_CALLS, RequestLimits, request_bytes};
use super::events::TurnFailure;
use super::model::{ModelAnswer, ModelMessage, ModelRequest, ModelToolCall, ModelToolResult};
use super::store::model_loop as store;
use super::turn::{LEASE, Turn, TurnWork, log_internal};
use super::turn_end::{end, end_crashed};
use super::{prompt, tool_calls};

/// The time limit of a turn.
const TURN_TIMEOUT: TimeDelta = TimeDelta::minutes(3);
/// The interval between renewals of the claim.
const RENEWAL_INTERVAL: TimeDelta = TimeDelta::seconds(8);
/// The result of a call for which nothing is left.
const NO_CALLS_LEFT: &str =
    "Not run: you have used up the tool calls of this question. Answer with what you have.";
const NO_TOKENS_LEFT: &str = "Not run: no room is left for its result. Answer with what you have.";
/// The answer of a turn of which nothing is left before the model has answered.
const NOTHING_LEFT: &str =
    "I have used up what I may read for one question. Ask for a smaller part, and I will go on from there.";
/// The answer if the model gave none.
const NO_ANSWER: &str = "I found no answer. Ask in other words, or for a smaller part.";
/// The end of an answer that was cut off at its maximum length.
const CUT_OFF: &str = "\n\n(My answer was cut off here. Ask for the rest.)";

/// Runs a turn to its end, and stores its answer or its failure.
pub(super) async fn run(turn: Arc<Turn>, slot: AddressSlot) {
    METRICS.guide.running.inc();
    let work = tokio::spawn(answer(turn.clone()));
    let last = match concurrency::join("answering a question", work).await {
        Ok((work, result)) => end(&turn, &work, result).await,
        Err(refusal) => {
            log_internal(&refusal);
            end_crashed(&turn).await
        }
    };
    turn.log.push(last);
    METRICS.guide.running.dec();
    drop(slot);
}

/// Answers the question, unless that takes too long, the claim is lost, the conversation is deleted or the
/// server stops.
async fn answer(turn: Arc<Turn>) -> (TurnWork, Result<(), TurnFailure>) {
    let mut work = TurnWork::new(&turn.guide.settings);
    let clock = &turn.tools.app.state.clock;
    let deadline = clock.now() + TURN_TIMEOUT;
    let result = tokio::select! {
        result = Box::pin(run_loop(&turn, &mut work)) => result,
        () = clock.sleep_until(deadline) => Err(TurnFailure::ModelUnavailable),
        () = keep_claim(&turn) => Err(TurnFailure::NotFound),
        () = turn.log.ended() => Err(TurnFailure::NotFound),
        () = turn.guide.stopping.cancelled() => Err(TurnFailure::InternalError),
    };
    (work, result)
}

/// Renews the claim, until the question is deleted or claimed by another instance.
async fn keep_claim(turn: &Turn) {
    let state = &turn.tools.app.state;
    let question = &turn.question;
    loop {
        state.clock.sleep_until(state.clock.now() + RENEWAL_INTERVAL).await;
        let until = state.clock.now() + LEASE;
        match store::renew(&state.pool, question.run(), until).await {
            Ok(true) => {}
            Ok(false) => return,
            Err(error) => {
                tracing::warn!(%error, "the claim of a question could not be renewed, trying again");
            }
        }
    }
}

/// Asks the model, runs the tools that it calls, and asks again with their results, until it answers.
///
/// # Errors
/// The reason why there is no answer. `work` has what the turn has taken until then.
async fn run_loop(turn: &Turn, work: &mut TurnWork) -> Result<(), TurnFailure> {
    let mut request = prompt::first_request(turn).await.map_err(|refusal| {
        log_internal(&refusal);
        TurnFailure::InternalError
    })?;
    loop {
        let calls_left = MAX_CALLS - work.steps.len();
        let Some(limits) = work.tokens.next_limits(request_bytes(&request), calls_left) else {
            add_text(turn, work, NOTHING_LEFT);
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
        add_text(turn, work, NO_ANSWER);
    } else if answer.is_cut_off {
        add_text(turn, work, CUT_OFF);
    }
}

fn add_text(turn: &Turn, work: &mut TurnWork, text: &str) {
    let added = work.add_text(text);
    if !added.is_empty() {
        turn.log.push_text(&added);
    }
}
