//! Claims a question, so that one instance at a time answers it, and reserves the money for its turn.

use platform::database;
use platform::refusal::{GuideRefusal, InputError, InputErrorKind, Refusal, internal};
use serde_json::Value;

use super::budget::Budgets;
use super::events::TurnState;
use super::store::claim::{self as store, TurnStart};
use super::store::{ask, uses};
use super::turn::{ClaimedQuestion, LEASE, MAX_RUNS};
use super::{Guide, unknown_message};
use crate::accounts::visitor::Visitor;
use crate::companion::drafts;
use crate::companion::tools::guide::context::GuideContext;
use crate::log::state::AppState;

const RUNS_SPENT: &str = "The guide has tried to answer this question 5 times. Ask it as a new question.";

/// Claims a question. Returns `None` if it was answered meanwhile, or another instance answers it.
///
/// # Errors
/// `NotFound`, also after too many turns, `TurnRunning`, `MoneyReserved`, `AddressMoneyReserved`, or
/// `BudgetSpent`. The question stays as it is.
pub(super) async fn claim(
    state: &AppState,
    guide: &Guide,
    visitor: &Visitor,
    message_id: &str,
) -> Result<Option<ClaimedQuestion>, Refusal> {
    let _permit = guide.acquire_database_permit().await?;
    let now = state.clock.now();
    let mut transaction = state.pool.begin().await?;
    // All turns begin and end under this lock, so that no two of them find the same money.
    uses::lock_server(&mut transaction, now.date_naive()).await?;
    let question = store::lock_question(&mut transaction, &visitor.owner, message_id).await?;
    let question = question.ok_or_else(unknown_message)?;
    let state_now = question.state.at(question.running_until, now);
    if matches!(state_now, TurnState::Running | TurnState::Answered) {
        return Ok(None);
    }
    if question.runs >= MAX_RUNS {
        return Err(InputError::new(InputErrorKind::NotFound, RUNS_SPENT).into());
    }
    if ask::is_answering(&mut transaction, question.conversation, now).await? {
        return Err(GuideRefusal::TurnRunning.into());
    }
    let budgets = Budgets::new(&guide.settings, state, visitor, now);
    let reserved_micros = budgets.begin_turn(&mut transaction, &question).await?;
    let context = parse_context(question.context)?;
    let start = TurnStart {
        no: question.no,
        reserved_micros: reserved_micros as i64,
        payer: budgets.payer.as_deref(),
        running_until: now + LEASE,
    };
    let run = store::begin(&mut transaction, &start).await?;
    if question.runs > 0 {
        drafts::cleanup::withdraw(&mut transaction, &[question.no], &[]).await?;
    }
    database::commit(transaction).await?;
    Ok(Some(ClaimedQuestion {
        no: question.no,
        conversation: question.conversation,
        content: question.content,
        context,
        run,
        reserved_micros,
        payer: budgets.payer,
    }))
}

/// Reads a stored context.
///
/// # Errors
/// `Internal` if it has another form.
pub(super) fn parse_context(stored: Option<Value>) -> Result<GuideContext, Refusal> {
    let context = stored.map(serde_json::from_value).transpose().map_err(internal("reading a context"))?;
    Ok(context.unwrap_or_default())
}
