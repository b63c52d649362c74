//! The events of a turn: starts the turn, joins it while it runs, here or on another instance, or replays its
//! answer.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use caraplace_accounts::visitor::Visitor;
use caraplace_log::state::AppState;
use futures_util::{Stream, stream};
use platform::refusal::{GuideRefusal, InputError, InputErrorKind, Refusal, internal};
use tokio::time::sleep;

use super::Guide;
use super::claim::{AskedTurn, unknown_message};
use super::events::{ToolStep, TurnEvent, TurnFailure, TurnState, TurnUsage};
use super::running::TurnEvents;
use super::store::stream as store;
use crate::drafts;
use crate::tools::call::ToolContext;

/// The interval between looks at a turn that another instance runs.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Returns the events of the turn that answers a question. It is started if the question waits or its last
/// turn has failed, and goes on if the stream is dropped.
///
/// # Errors
/// `NotFound` if the visitor has not asked it, `TurnRunning`, `TooManyTurns`, or `BudgetSpent`.
pub async fn stream(
    tools: Arc<ToolContext>,
    guide: Arc<Guide>,
    visitor: Visitor,
    message_id: &str,
) -> Result<impl Stream<Item = TurnEvent> + Send + use<>, Refusal> {
    let turn = AskedTurn { tools, guide, visitor, message_id: message_id.to_owned() };
    let source = EventSource::open(&turn, false).await?;
    Ok(stream::unfold((turn, source), |(turn, mut source)| async move {
        let event = source.next(&turn).await?;
        Some((event, (turn, source)))
    }))
}

/// The source of the events that are still to be sent.
enum EventSource {
    /// A turn that has ended.
    Ended(VecDeque<TurnEvent>),
    /// A turn of this process, of whose events some were sent.
    Running { events: TurnEvents, sent: usize },
    /// A turn of another instance; `has_begun` if events of an earlier run were sent.
    Elsewhere { has_begun: bool },
}

impl EventSource {
    /// Finds the source of the events. Starts the turn if it waits, or if it has failed and the stream has
    /// not followed it.
    async fn open(turn: &AskedTurn, is_following: bool) -> Result<Self, Refusal> {
        let state = &turn.tools.app.state;
        let question = store::find_question(&state.pool, &turn.visitor.owner, &turn.message_id).await?;
        let question = question.ok_or_else(unknown_message)?;
        match question.state.at(question.running_until, state.clock.now()) {
            TurnState::Answered => Self::replay(state, question.no).await,
            TurnState::Failed if is_following && question.state == TurnState::Failed => {
                let failure = question.failure.unwrap_or(TurnFailure::InternalError);
                Ok(Self::Ended([TurnEvent::failed(failure)].into()))
            }
            TurnState::Running => Ok(Self::of_turn(turn.guide.running.find(&turn.message_id))),
            TurnState::Waiting | TurnState::Failed => Ok(Self::of_turn(turn.start().await?)),
        }
    }

    /// Returns the events of an answer that is stored.
    async fn replay(state: &AppState, question: i64) -> Result<Self, Refusal> {
        let answer = store::find_answer(&state.pool, question).await?.ok_or_else(unknown_message)?;
        let trace = serde_json::from_value(answer.trace);
        let steps: Vec<ToolStep> = trace.map_err(internal("reading the tool calls of an answer"))?;
        let drafts = drafts::list::find_by_ids(state, &answer.drafts).await?;
        let usage = TurnUsage {
            input_tokens: answer.input_tokens as u64,
            output_tokens: answer.output_tokens as u64,
            cost_micros: answer.cost_micros as u64,
        };
        let steps = steps.into_iter().map(TurnEvent::from);
        let text = [TurnEvent::Delta { text: answer.content }];
        let drafts = drafts.iter().map(TurnEvent::from);
        let done = [TurnEvent::Done { message_id: answer.id, usage }];
        Ok(Self::Ended(steps.chain(text).chain(drafts).chain(done).collect()))
    }

    /// Returns the source for a turn of this process with these events, or of another one.
    fn of_turn(events: Option<TurnEvents>) -> Self {
        events.map_or(Self::Elsewhere { has_begun: false }, |events| Self::Running { events, sent: 0 })
    }

    /// Returns the source for a stream whose turn was refused after it had begun. If the server is busy,
    /// there is no last event: the client connects again, and gets the refusal with the time to wait.
    fn refused(refusal: &Refusal) -> Self {
        let failure = match refusal {
            Refusal::Input(InputError { kind: InputErrorKind::NotFound, .. }) => TurnFailure::NotFound,
            Refusal::Guide(GuideRefusal::BudgetSpent { .. }) => TurnFailure::BudgetSpent,
            Refusal::Guide(_) => return Self::Ended(VecDeque::new()),
            _ => TurnFailure::InternalError,
        };
        Self::Ended([TurnEvent::failed(failure)].into())
    }

    /// Returns the source for a stream that has sent events of an earlier run. Its client must not get two
    /// answers as one: without a last event it connects again, and reads the answer from its beginning.
    fn after_another_run(self) -> Self {
        match self {
            Self::Elsewhere { .. } => Self::Elsewhere { has_begun: true },
            Self::Ended(events) if events.front().is_some_and(TurnEvent::is_last) => Self::Ended(events),
            Self::Ended(_) | Self::Running { .. } => Self::Ended(VecDeque::new()),
        }
    }

    /// Waits for the next event; `None` after the last one.
    async fn next(&mut self, turn: &AskedTurn) -> Option<TurnEvent> {
        loop {
            match self {
                Self::Ended(events) => return events.pop_front(),
                Self::Running { events, sent } => match next_running(events, sent).await {
                    // Another instance may have claimed the question.
                    Some(TurnEvent::Error { code: TurnFailure::NotFound, .. }) => {
                        *self = Self::Elsewhere { has_begun: *sent > 1 };
                    }
                    Some(event) => {
                        if event.is_last() {
                            *self = Self::Ended(VecDeque::new());
                        }
                        return Some(event);
                    }
                    // The turn's task was aborted: the server stops.
                    None => *self = Self::Ended([TurnEvent::failed(TurnFailure::InternalError)].into()),
                },
                Self::Elsewhere { has_begun } => {
                    sleep(POLL_INTERVAL).await;
                    let opened =
                        Self::open(turn, true).await.unwrap_or_else(|refusal| Self::refused(&refusal));
                    *self = if *has_begun { opened.after_another_run() } else { opened };
                }
            }
        }
    }
}

/// Waits for the next event of a turn of this process; `None` if there will be none.
async fn next_running(events: &mut TurnEvents, sent: &mut usize) -> Option<TurnEvent> {
    loop {
        let next = events.borrow_and_update().get(*sent).cloned();
        if let Some(event) = next {
            *sent += 1;
            return Some(event);
        }
        events.changed().await.ok()?;
    }
}
