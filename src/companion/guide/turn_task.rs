//! The task of a turn: answers one question, and goes on when nobody follows it any more.

use std::sync::Arc;

use chrono::TimeDelta;
use platform::address_slots::AddressSlot;
use platform::concurrency;
use platform::refusal::Refusal;
use platform::telemetry::METRICS;

use super::claim;
use super::events::TurnFailure;
use super::running::TurnEvents;
use super::store::model_loop as store;
use super::turn::{LEASE, Turn, TurnWork, log_internal};
use super::turn_end::{end, end_crashed};
use super::{Guide, tool_loop};
use crate::accounts::visitor::Visitor;
use crate::companion::tools::call::{ToolCaller, ToolContext};
use crate::companion::tools::guide::caller::GuideCaller;

/// The time limit of a turn.
const TURN_TIMEOUT: TimeDelta = TimeDelta::minutes(3);
/// The interval between renewals of the claim.
const RENEWAL_INTERVAL: TimeDelta = TimeDelta::seconds(8);

/// Starts the turn that answers a question, and returns its events. Returns `None` if it was answered
/// meanwhile, or another instance is at it.
///
/// # Errors
/// `TooManyTurns`, `TooManyTurnsAtAddress`, or the refusal of [`claim::claim`].
pub(super) async fn start(
    tools: &Arc<ToolContext>,
    guide: &Arc<Guide>,
    visitor: &Visitor,
    message_id: &str,
) -> Result<Option<TurnEvents>, Refusal> {
    let begun = begin(tools.clone(), guide.clone(), visitor.clone(), message_id.to_owned());
    // Not on the caller's event loop, which serves the page. A question that is claimed is answered, even if
    // the caller is dropped meanwhile.
    concurrency::join("beginning a turn", guide.tasks.spawn_on(begun, &guide.runtime)).await?
}

async fn begin(
    tools: Arc<ToolContext>,
    guide: Arc<Guide>,
    visitor: Visitor,
    message_id: String,
) -> Result<Option<TurnEvents>, Refusal> {
    let slot = guide.acquire_turn_slot(&visitor)?;
    let claimed = claim::claim(&tools.app.state, &guide, &visitor, &message_id).await?;
    let Some(question) = claimed else { return Ok(None) };
    let log = guide.running.add(&message_id);
    let events = log.follow();
    let caller = GuideCaller { visitor, context: question.context.clone(), run: question.run() };
    let caller = Arc::new(ToolCaller::for_guide(caller));
    let tasks = guide.tasks.clone();
    tasks.spawn(run(Arc::new(Turn { tools, guide, caller, question, log }), slot));
    Ok(Some(events))
}

/// Runs a turn to its end, and stores its answer or its failure.
async fn run(turn: Arc<Turn>, slot: AddressSlot) {
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
        result = Box::pin(tool_loop::run(&turn, &mut work)) => result,
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
