//! Claims a question, so that one instance at a time answers it, reserves the money for its turn, and starts
//! the turn.

use std::sync::Arc;

use caraplace_accounts::visitor::Visitor;
use platform::address_slots::{AddressSlot, SlotShortage};
use platform::refusal::{GuideRefusal, InputError, InputErrorKind, Refusal, internal};
use platform::{concurrency, database};
use serde_json::Value;

use super::budget::Budgets;
use super::events::TurnState;
use super::running::TurnEvents;
use super::store::claim::{self as store, TurnStart};
use super::store::{ask, lock_turns};
use super::turn::{ClaimedQuestion, LEASE, MAX_RUNS, Turn};
use super::{Guide, model_loop};
use crate::drafts;
use crate::tools::call::{ToolCaller, ToolContext};
use crate::tools::guide::caller::GuideCaller;
use crate::tools::guide::context::GuideContext;

const RUNS_SPENT: &str = "The guide has tried to answer this question 5 times. Ask it as a new question.";

/// A turn that a visitor asks for.
#[derive(Clone)]
pub(super) struct AskedTurn {
    pub tools: Arc<ToolContext>,
    pub guide: Arc<Guide>,
    pub visitor: Visitor,
    /// The id of the question.
    pub message_id: String,
}

impl AskedTurn {
    /// Starts the turn, and returns its events. Returns `None` if the question was answered meanwhile, or
    /// another instance is at it.
    ///
    /// # Errors
    /// `TooManyTurns`, `TooManyTurnsAtAddress`, or the refusal of [`Self::claim`].
    pub(super) async fn start(&self) -> Result<Option<TurnEvents>, Refusal> {
        let begun = self.clone().begin();
        // Not on the caller's event loop, which serves the page. A question that is claimed is answered, even
        // if the caller is dropped meanwhile.
        concurrency::join("beginning a turn", self.guide.tasks.spawn_on(begun, &self.guide.runtime)).await?
    }

    async fn begin(self) -> Result<Option<TurnEvents>, Refusal> {
        let slot = acquire_turn_slot(&self.guide, &self.visitor)?;
        let Some(question) = self.claim().await? else { return Ok(None) };
        let Self { tools, guide, visitor, message_id } = self;
        let log = guide.running.add(&message_id);
        let events = log.follow();
        let caller = GuideCaller { visitor, context: question.context.clone(), run: question.run() };
        let caller = Arc::new(ToolCaller::for_guide(caller));
        let tasks = guide.tasks.clone();
        tasks.spawn(model_loop::run(Arc::new(Turn { tools, guide, caller, question, log }), slot));
        Ok(Some(events))
    }

    /// Claims the question. Returns `None` if it was answered meanwhile, or another instance answers it.
    ///
    /// # Errors
    /// `NotFound`, also after too many turns, `TurnRunning`, `MoneyReserved`, `AddressMoneyReserved`, or
    /// `BudgetSpent`. The question stays as it is.
    async fn claim(&self) -> Result<Option<ClaimedQuestion>, Refusal> {
        let Self { tools, guide, visitor, message_id } = self;
        let state = &tools.app.state;
        let _permit = guide.acquire_database_permit().await?;
        let now = state.clock.now();
        let mut transaction = state.pool.begin().await?;
        lock_turns(&mut transaction, now.date_naive()).await?;
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
            drafts::withdraw(&mut transaction, &[question.no], &[]).await?;
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
}

/// Takes the slot of a turn. Visitors without an account can be any number of browsers, so those at one
/// address have only a part of the slots.
///
/// # Errors
/// `TooManyTurns` or `TooManyTurnsAtAddress`.
fn acquire_turn_slot(guide: &Guide, visitor: &Visitor) -> Result<AddressSlot, GuideRefusal> {
    let limit = guide.settings.max_turns_per_ip;
    let slots = &guide.turn_slots;
    let slot = if visitor.owner.is_browser() {
        slots.acquire(visitor.address, limit)
    } else {
        slots.acquire_uncounted()
    };
    slot.map_err(|shortage| match shortage {
        SlotShortage::OfAddress => GuideRefusal::TooManyTurnsAtAddress { limit },
        SlotShortage::OfAll => GuideRefusal::TooManyTurns,
    })
}

/// Reads a stored context.
///
/// # Errors
/// `Internal` if it has another form.
pub(super) fn parse_context(stored: Option<Value>) -> Result<GuideContext, Refusal> {
    let context = stored.map(serde_json::from_value).transpose().map_err(internal("reading a context"))?;
    Ok(context.unwrap_or_default())
}

/// Returns the refusal of a message that the visitor has not asked.
pub(super) fn unknown_message() -> Refusal {
    InputError::new(InputErrorKind::NotFound, "You have asked the guide no question with this id.").into()
}
