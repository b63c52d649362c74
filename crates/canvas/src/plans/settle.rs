//! Records the changes of plans that follow from the canvas or from time: a plan is finished, is damaged, or
//! has expired. Every instance checks the plans. The first one to write records the change, and the others
//! then find nothing to record.

pub mod damage;

use std::sync::Arc;
use std::time::Duration;

use caraplace_accounts::agents::accounts;
use caraplace_log::batch_context::{Account, BatchContext, LookupNeeds};
use caraplace_log::command::Command;
use caraplace_log::state::AppState;
use caraplace_messages::batch::post_message;
use platform::refusal::Refusal;
use rules::audience::Audience;
use rules::message::Message;
use rules::plan::PlanState;
use rules::plan::record::{PlanRecord, PlanView};
use rules::rights::AccountAction;
use tokio::time::sleep;

use super::batch::{end_plan, plan_view, update_plan};
use super::board::PlanBoard;
use super::compare::is_complete;
use super::create::submit;
use super::part::Plans;
use super::store;

/// The interval between checks. Reads follow the canvas at once.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// The interval between checks in the database.
const UNLISTED_POLL_INTERVAL: Duration = Duration::from_secs(2);
/// The delay before another attempt.
const RETRY_DELAY: Duration = Duration::from_secs(2);
/// The maximum number of plans in one command, so that others wait only a moment.
const MAX_PLANS: usize = 32;

struct SettlePlans {
    /// The ids of plans whose state may have changed.
    plans: Vec<String>,
}

impl Command for SettlePlans {
    type Output = ();

    const ACTION: AccountAction = AccountAction::Operate;

    fn require_lookups(&self, needs: &mut LookupNeeds) {
        let plans = needs.parts.get_mut::<Plans>();
        self.plans.iter().for_each(|id| plans.require(id));
    }

    fn decide(&self, context: &mut BatchContext<'_>, _: &mut Account) -> Result<(), Refusal> {
        for id in &self.plans {
            if let Some(record) = context.part::<Plans>().find(id).filter(|record| record.is_live()).cloned()
            {
                settle(context, &record);
            }
        }
        Ok(())
    }
}

fn settle(context: &mut BatchContext<'_>, record: &Arc<PlanRecord>) {
    let PlanView { state, .. } = plan_view(context, record.clone());
    let is_newly_finished = state == PlanState::Finished && !record.is_announced && record.is_public();
    let record =
        PlanRecord { is_announced: record.is_announced || is_newly_finished, ..PlanRecord::clone(record) };
    if record.expires_at <= context.now {
        end_plan(context, &record, state);
    } else if is_untold(&record, state) || is_newly_finished {
        update_plan(context, record.clone(), false);
    }
    if is_newly_finished && context.game.system_messages && context.game.chat_enabled {
        announce(context, &record);
    }
}

/// Returns true if this state must be recorded: the plan is finished for the first time, or its newest event
/// has another state. A plan that has once been finished needs no record.
fn is_untold(record: &PlanRecord, state: PlanState) -> bool {
    // The state of a finished plan changes only when it ends or gets another picture, and both write an event
    // at once. During an update, a server of the earlier version records a damaged plan as open. If this
    // server recorded it as finished again, both would write events in turn without an end.
    record.finished_at.is_none() && (state == PlanState::Finished || state != record.told_state)
}

/// Posts a system message that a plan is finished. The plan's title is text of its author, so the message
/// does not repeat it.
fn announce(context: &mut BatchContext<'_>, record: &PlanRecord) {
    let area = record.target.area();
    let count = record.target.pixels().count();
    let corners = area.corners();
    let content = format!(
        "The plan {} is finished: all {count} pixels from ({}, {}) to ({}, {}).",
        record.id, corners.x1, corners.y1, corners.x2, corners.y2
    );
    let region = Some(corners);
    let plan_id = Some(record.id.as_str().into());
    let message = Message { region, plan_id, ..Message::from_system(content, context.now) };
    post_message(context, Audience::Everyone, None, message);
}

/// Settles plans until the task is aborted.
pub async fn run(state: Arc<AppState>) {
    tokio::join!(settle_public_plans(&state), settle_unlisted_plans(&state), damage::run(&state));
}

async fn settle_public_plans(state: &AppState) {
    loop {
        sleep(POLL_INTERVAL).await;
        if let Err(error) = settle_plans(state, due_plans(state)).await {
            tracing::warn!(%error, "plans could not be settled, trying again");
            sleep(RETRY_DELAY).await;
        }
    }
}

/// Finishes the plans that not everyone can see, and ends them when their time has passed. They are not in
/// memory.
async fn settle_unlisted_plans(state: &AppState) {
    let mut before = 0;
    loop {
        sleep(UNLISTED_POLL_INTERVAL).await;
        if let Err(error) = end_expired_plans(state).await {
            tracing::warn!(%error, "expired plans could not be ended, trying again");
        }
        match finish_unlisted_plans(state, before).await {
            Ok(next) => before = next,
            Err(error) => tracing::warn!(%error, "plans could not be finished, trying again"),
        }
    }
}

/// Ends plans that not everyone can see and whose time has passed.
async fn end_expired_plans(state: &AppState) -> Result<(), Refusal> {
    let now = state.clock.now();
    let expired =
        store::expired_unlisted_plan_ids(&mut *state.pool.acquire().await?, now, MAX_PLANS as i64).await?;
    settle_plans(state, expired).await
}

/// Finishes those of the next unlisted plans with numbers below `before` whose pixels are all right. Returns
/// the `before` of the plans after them; 0 begins anew.
async fn finish_unlisted_plans(state: &AppState, before: i64) -> Result<i64, Refusal> {
    // Only a few are compared with the canvas at once, because anyone may open such plans.
    let season = state.read_world(|world| world.season.seq);
    let limit = MAX_PLANS as i64;
    let records =
        store::unfinished_unlisted_plans(&mut *state.pool.acquire().await?, season, before, limit).await?;
    let next =
        if records.len() < MAX_PLANS { 0 } else { records.iter().map(|record| record.no).min().unwrap_or(0) };
    let complete =
        records.iter().filter(|record| state.read_world(|world| is_complete(&world.canvas, record)));
    settle_plans(state, complete.map(|record| record.id.clone()).collect()).await?;
    Ok(next)
}

/// Returns the live plans with a state that is not recorded, with a missing announcement, or whose time has
/// passed.
fn due_plans(state: &AppState) -> Vec<String> {
    let now = state.clock.now();
    state.read_world(|world| {
        let is_due = |record: &PlanRecord, state| {
            let is_unannounced = state == PlanState::Finished && !record.is_announced;
            record.expires_at <= now || is_untold(record, state) || is_unannounced
        };
        let plans = PlanBoard::of(world).iter();
        let due = plans.filter(|plan| is_due(&plan.record, plan.record.state_with(plan.progress(), now)));
        due.take(MAX_PLANS).map(|plan| plan.record.id.clone()).collect()
    })
}

async fn settle_plans(state: &AppState, plans: Vec<String>) -> Result<(), Refusal> {
    if plans.is_empty() {
        return Ok(());
    }
    let operator = accounts::find_operator(state).await?;
    submit(state, &operator, SettlePlans { plans }).await
}
