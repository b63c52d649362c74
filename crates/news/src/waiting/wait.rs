//! Waits until a condition holds, without a thread, a lock or a database connection.

use std::pin::pin;
use std::time::Duration;

use caraplace_live::waits::{MAX_WAITS_PER_AGENT, Wait, WaitLimit, WaitSignal};
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use chrono::{DateTime, TimeDelta, Utc};
use platform::input;
use platform::refusal::Refusal;
use tokio::time::{Instant, sleep_until};

use super::condition::read_facts;
use super::{MAX_WAIT_SECONDS, WaitCondition, WaitEnd, WaitFacts, WaitResult};

/// The shortest time between two checks of a call whose news did not fulfil its condition.
const MIN_CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// The request of a call, checked.
#[derive(Clone, Copy, Debug)]
pub struct WaitRequest {
    condition: WaitCondition,
    timeout: TimeDelta,
    /// The number of charges that are enough.
    charges: i64,
}

impl WaitRequest {
    /// Checks the arguments of a call. `charges` is 1 by default, and `seconds` the maximum.
    ///
    /// # Errors
    /// `Input` if a number is out of range or does not belong to the condition; `ChatDisabled` if the
    /// condition is about messages.
    pub fn new(
        state: &AppState,
        condition: WaitCondition,
        seconds: Option<i64>,
        charges: Option<i64>,
    ) -> Result<Self, Refusal> {
        let game = state.game();
        if condition == WaitCondition::Ask {
            game.check_chat()?;
        }
        if condition != WaitCondition::Charges && charges.is_some() {
            return Err(Refusal::invalid("charges", "charges goes with until: charges. Leave it out."));
        }
        let seconds =
            input::check_range("seconds", seconds.unwrap_or(MAX_WAIT_SECONDS), 1..=MAX_WAIT_SECONDS)?;
        let charges = input::check_range("charges", charges.unwrap_or(1), 1..=game.max_charges.into())?;
        Ok(Self { condition, timeout: TimeDelta::seconds(seconds), charges })
    }
}

/// Waits until the condition of a request holds for an agent, until its time is over, or until `cancelled`
/// completes. At most `max_total` calls wait at a time.
///
/// # Errors
/// `TooManyWaits`.
pub async fn wait(
    state: &AppState,
    agent: &Identity,
    request: WaitRequest,
    max_total: usize,
    cancelled: impl Future<Output = ()>,
) -> Result<WaitResult, Refusal> {
    let deadline = state.clock.now() + request.timeout;
    let interest = request.condition.interest();
    // Registered before the first check, so that nothing is missed in between.
    let call = state.hub.waits.register(agent.no, &agent.id, interest, max_total).map_err(limit_refusal)?;
    let mut events = WaitEvents { state, call, deadline, next_check: None };
    let mut cancelled = pin!(cancelled);
    let mut facts = events.check(agent, request).await?;
    loop {
        if facts.holds() {
            return Ok(finish(request.condition, WaitEnd::Met, facts));
        }
        let end = tokio::select! {
            end = events.wait_for_check(facts.next_check_at()) => end,
            () = &mut cancelled => Some(WaitEnd::Ended),
        };
        if let Some(end) = end {
            return Ok(finish(request.condition, end, facts));
        }
        // One event may wake thousands of calls, which must not take all connections.
        let _permit = state.acquire_scan_permit().await;
        facts = events.check(agent, request).await?;
    }
}

fn finish(until: WaitCondition, end: WaitEnd, facts: WaitFacts) -> WaitResult {
    let next = facts.next_call(end);
    WaitResult { until, end, facts, next }
}

fn limit_refusal(limit: WaitLimit) -> Refusal {
    match limit {
        WaitLimit::Agent => Refusal::TooManyWaits { limit: Some(MAX_WAITS_PER_AGENT) },
        WaitLimit::Process => Refusal::TooManyWaits { limit: None },
    }
}

/// The events that end a wait or require another check.
struct WaitEvents<'a> {
    state: &'a AppState,
    call: Wait,
    deadline: DateTime<Utc>,
    /// The earliest time of the next check after news; `None` if it may follow at once.
    next_check: Option<Instant>,
}

impl WaitEvents<'_> {
    /// Reads what the condition is about. If it holds and news come meanwhile, it is read again: they may be
    /// counted in part, as a message but not yet as a mention.
    async fn check(&mut self, agent: &Identity, request: WaitRequest) -> Result<WaitFacts, Refusal> {
        let WaitRequest { condition, charges, .. } = request;
        let facts = read_facts(self.state, agent, condition, charges).await?;
        if facts.holds() && self.call.take_news() {
            return read_facts(self.state, agent, condition, charges).await;
        }
        Ok(facts)
    }

    /// Completes when the condition must be checked again, with `None`, or when the wait has ended. `at` is
    /// the time at which it holds without any news.
    async fn wait_for_check(&mut self, at: Option<DateTime<Utc>>) -> Option<WaitEnd> {
        let clock = &self.state.clock;
        let at = at.filter(|at| *at < self.deadline);
        tokio::select! {
            signal = self.call.next_signal() => {
                if signal == WaitSignal::Ended {
                    return Some(WaitEnd::Ended);
                }
            }
            () = clock.sleep_until(at.unwrap_or(self.deadline)) => {
                return at.is_none().then_some(WaitEnd::Timeout);
            }
        }
        self.delay_check().await
    }

    /// Delays a check after news if the last one was just before. Events that do not concern the agent after
    /// all must not cost more than that.
    async fn delay_check(&mut self) -> Option<WaitEnd> {
        let now = Instant::now();
        let clock = &self.state.clock;
        let at = self.next_check.replace(now + MIN_CHECK_INTERVAL).filter(|at| *at > now)?;
        self.next_check = Some(at + MIN_CHECK_INTERVAL);
        tokio::select! {
            () = sleep_until(at) => None,
            () = clock.sleep_until(self.deadline) => Some(WaitEnd::Timeout),
            () = self.call.ended() => Some(WaitEnd::Ended),
        }
    }
}
