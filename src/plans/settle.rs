//! Tells what follows from the canvas and from time: a plan is finished, damaged, or has expired. Every instance watches,
//! and the first one to write tells it; for the others nothing is left to tell.

use std::sync::Arc;
use std::time::Duration;

use rules::message::Message;
use rules::plan::PlanState;
use rules::rights::AccountAction;
use tokio::time::sleep;

use super::create::submit;
use crate::agents::accounts;
use crate::live::plan::{PlanRecord, PlanView};
use crate::log::batch_context::{Account, BatchContext, LookupNeeds};
use crate::log::command::Command;
use crate::refusal::Refusal;
use crate::state::AppState;

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
        needs.changes_chat = true;
        needs.plans.extend(self.plans.iter().cloned());
    }

    fn decide(&self, context: &mut BatchContext<'_>, _: &mut Account) -> Result<(), Refusal> {
        for id in &self.plans {
            if let Some(record) = context.plan(id).filter(|record| record.is_live()).cloned() {
                settle(context, &record);
            }
        }
        Ok(())
    }
}

fn settle(context: &mut BatchContext<'_>, record: &Arc<PlanRecord>) {
    let PlanView { state, .. } = context.plan_view(record.clone());
    let is_newly_finished = state == PlanState::Finished && !record.is_announced && record.is_public();
    let record =
        PlanRecord { is_announced: record.is_announced || is_newly_finished, ..PlanRecord::clone(record) };
    if record.expires_at <= context.now {
        context.end_plan(&record, state);
    } else if state != record.told_state || is_newly_finished {
        context.update_plan(record.clone(), false);
    }
    if is_newly_finished && context.game.system_messages && context.game.chat_enabled {
        announce(context, &record);
    }
}

/// Tells the chat that a plan is finished. Its title is text of its author, so the system does not repeat it.
fn announce(context: &mut BatchContext<'_>, record: &PlanRecord) {
    let (area, count) = (record.target.area(), record.target.pixels().count());
    let corners = area.corners();
    let content = format!(
        "The plan {} is finished: all {count} pixels from ({}, {}) to ({}, {}).",
        record.id, corners.x1, corners.y1, corners.x2, corners.y2
    );
    let (region, plan_id) = (Some(corners), Some(record.id.as_str().into()));
    let message = Message { region, plan_id, ..Message::from_system(content, context.now) };
    context.post_message(None, message);
}

/// Settles plans until the task is aborted.
pub async fn run(state: Arc<AppState>) {
    tokio::join!(settle_public_plans(&state), end_unlisted_plans(&state));
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

/// Ends the plans that not everyone can see when their time has passed. They are not in memory.
async fn end_unlisted_plans(state: &AppState) {
    loop {
        sleep(UNLISTED_POLL_INTERVAL).await;
        let ended = async { settle_plans(state, state.log.expired_unlisted_plans(MAX_PLANS).await?).await };
        if let Err(error) = ended.await {
            tracing::warn!(%error, "expired plans could not be ended, trying again");
        }
    }
}

/// Returns the live plans whose state is not the one that was told, or whose time has passed.
fn due_plans(state: &AppState) -> Vec<String> {
    let now = state.clock.now();
    state.read_world(|world| {
        let is_due = |record: &PlanRecord, state| {
            let is_untold = state == PlanState::Finished && !record.is_announced;
            record.expires_at <= now || record.told_state != state || is_untold
        };
        let plans = world.plans().iter();
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
