//! The end of a turn: stores its answer or its failure, and what it has cost.

use chrono::TimeDelta;
use platform::refusal::{Refusal, internal};
use platform::telemetry::METRICS;
use platform::{clock, database};
use sqlx::PgConnection;

use super::budget;
use super::events::{TurnEvent, TurnFailure, TurnUsage};
use super::store::lock_turns;
use super::store::turn_end::{self as store, AnswerToStore};
use super::store::uses::{self, Increase};
use super::turn::{ClaimedQuestion, LEASE, Turn, TurnWork, log_internal};
use crate::drafts;

/// The interval between attempts to store an outcome.
const STORE_INTERVAL: TimeDelta = TimeDelta::seconds(1);

/// An answer to store, or the reason why there is none.
type StoredOutcome<'a> = Result<&'a AnswerToStore<'a>, TurnFailure>;

/// Stores what has become of a turn, and returns the last event.
pub(super) async fn end(turn: &Turn, work: &TurnWork, result: Result<(), TurnFailure>) -> TurnEvent {
    let tokens = work.tokens.usage();
    let usage = TurnUsage {
        input_tokens: tokens.input_tokens,
        output_tokens: tokens.output_tokens,
        cost_micros: budget::cost_micros(&turn.guide.settings, tokens),
    };
    count_usage(usage);
    let id = clock::new_id("guidemsg");
    let trace = serde_json::to_value(&work.steps).map_err(internal("writing the tool calls of an answer"));
    let result = match (result, trace) {
        (Ok(()), Ok(trace)) => {
            let answer = AnswerToStore {
                run: turn.question.run(),
                conversation: turn.question.conversation,
                id: &id,
                content: &work.text,
                trace: &trace,
                drafts: &work.drafts,
                model: turn.guide.client.name(),
                usage,
                now: turn.tools.app.state.clock.now(),
            };
            store_outcome(turn, Ok(&answer), usage).await
        }
        (Ok(()), Err(refusal)) => {
            log_internal(&refusal);
            store_outcome(turn, Err(TurnFailure::InternalError), usage).await
        }
        (Err(failure), _) => store_outcome(turn, Err(failure), usage).await,
    };
    count_outcome(result);
    match result {
        Ok(()) => TurnEvent::Done { message_id: id, usage },
        Err(failure) => TurnEvent::failed(failure),
    }
}

/// Stores the failure of a turn that panicked. Its cost is unknown, so the reserved amount counts.
pub(super) async fn end_crashed(turn: &Turn) -> TurnEvent {
    let usage = TurnUsage { cost_micros: turn.question.reserved_micros, ..TurnUsage::default() };
    let result = store_outcome(turn, Err(TurnFailure::InternalError), usage).await;
    count_outcome(result);
    TurnEvent::failed(result.err().unwrap_or(TurnFailure::InternalError))
}

/// Stores an outcome. While that is impossible, it is tried again until the claim has ended.
async fn store_outcome(turn: &Turn, outcome: StoredOutcome<'_>, usage: TurnUsage) -> Result<(), TurnFailure> {
    let clock = &turn.tools.app.state.clock;
    let deadline = clock.now() + LEASE;
    let mut is_repeated = false;
    loop {
        match try_store(turn, outcome, usage, is_repeated).await {
            Ok(true) => return outcome.map(|_| ()),
            Ok(false) => return Err(TurnFailure::NotFound),
            Err(refusal) => log_internal(&refusal),
        }
        if clock.now() >= deadline {
            return Err(TurnFailure::InternalError);
        }
        is_repeated = true;
        clock.sleep_until(clock.now() + STORE_INTERVAL).await;
    }
}

/// Stores an outcome with what it has cost. Returns false if the question is no longer this turn's to answer.
async fn try_store(
    turn: &Turn,
    outcome: StoredOutcome<'_>,
    usage: TurnUsage,
    is_repeated: bool,
) -> Result<bool, Refusal> {
    let state = &turn.tools.app.state;
    let question = &turn.question;
    let _permit = turn.guide.acquire_database_permit().await?;
    let mut transaction = state.pool.begin().await?;
    let day = state.clock.now().date_naive();
    lock_turns(&mut transaction, day).await?;
    let is_stored = match outcome {
        Ok(answer) => store::insert_answer(&mut transaction, answer).await?,
        Err(failure) => store::fail(&mut transaction, question.run(), failure).await?,
    };
    if !is_stored && is_repeated && was_stored(&mut transaction, question, outcome).await? {
        return Ok(true);
    }
    if is_stored {
        let answered = outcome.map_or(&[][..], |answer| answer.drafts);
        drafts::withdraw(&mut transaction, &[question.no], answered).await?;
    }
    let tokens = usage.input_tokens + usage.output_tokens;
    let taken = Increase { turns: 0, tokens, cost_micros: usage.cost_micros as i64 };
    let payer = question.payer.as_deref();
    let reserved = question.reserved_micros as i64;
    if is_stored {
        uses::add(&mut transaction, day, payer, taken).await?;
    } else if is_lost(&mut transaction, question).await? {
        uses::add_late(&mut transaction, day, payer, taken, reserved).await?;
    } else {
        // The deletion has counted the reserved amount.
        let missing = Increase { cost_micros: taken.cost_micros - reserved, ..taken };
        uses::add(&mut transaction, day, payer, missing).await?;
    }
    database::commit(transaction).await?;
    Ok(is_stored)
}

/// Returns true if the attempt before was stored although its connection broke. A failure may have been
/// stored by others, who have counted the reserved amount.
async fn was_stored(
    connection: &mut PgConnection,
    question: &ClaimedQuestion,
    outcome: StoredOutcome<'_>,
) -> Result<bool, sqlx::Error> {
    match outcome {
        Ok(answer) => store::has_answer(connection, answer.id).await,
        Err(_) => store::is_last_run(connection, question.run()).await,
    }
}

/// Returns true if a turn that can no longer be stored counts as lost. Its question then still exists: either
/// the turn was ended as that of a dead instance, or another run was begun.
async fn is_lost(connection: &mut PgConnection, question: &ClaimedQuestion) -> Result<bool, sqlx::Error> {
    store::has_run_since(connection, question.run()).await
}

fn count_usage(usage: TurnUsage) {
    let metrics = &METRICS.guide;
    metrics.input_tokens.inc_by(usage.input_tokens);
    metrics.output_tokens.inc_by(usage.output_tokens);
    metrics.cost.inc_by(usage.cost_micros);
}

fn count_outcome(result: Result<(), TurnFailure>) {
    let metrics = &METRICS.guide;
    match result {
        Ok(()) => metrics.turns_answered.inc(),
        Err(TurnFailure::ModelUnavailable) => metrics.turns_without_model.inc(),
        Err(TurnFailure::NotFound) => metrics.turns_deleted.inc(),
        Err(TurnFailure::BudgetSpent | TurnFailure::InternalError) => metrics.turns_failed.inc(),
    }
}
