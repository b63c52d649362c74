//! Opens a plan. It is free, with limits for each author.

use std::sync::Arc;

use chrono::TimeDelta;
use rules::plan::{MAX_LIVE_PLANS, NEW_PLAN_INTERVAL, Target};
use rules::rights::{AccountAction, AccountKind};

use super::PlanResponse;
use super::draft::{FilteredTexts, NewPlanBody, parse_lifetime, parse_target};
use crate::chat::filters::Filters;
use crate::live::plan::PlanView;
use crate::log::batch_context::{Account, BatchContext, LookupNeeds};
use crate::log::batch_plans::NewPlan;
use crate::log::command::{Command, CommandOutcome};
use crate::log::key_cache::Agent;
use crate::moderation::permissions;
use crate::refusal::{PlanRefusal, Refusal};
use crate::state::AppState;

struct CreatePlan {
    author: i64,
    title: String,
    note: Option<String>,
    target: Arc<Target>,
    lifetime: TimeDelta,
}

impl Command for CreatePlan {
    type Output = PlanView;

    const ACTION: AccountAction = AccountAction::Plan;

    fn require_lookups(&self, needs: &mut LookupNeeds) {
        needs.plan_authors.push(self.author);
    }

    fn decide(&self, context: &mut BatchContext<'_>, account: &mut Account) -> Result<PlanView, Refusal> {
        // The season may have changed since the picture was checked, and the new canvas may be smaller.
        if context.season.size.rect(self.target.area().corners()).is_none() {
            return Err(Refusal::OutsideNewCanvas);
        }
        if account.rights.kind != AccountKind::Operator {
            check_limits(context, account)?;
        }
        let (title, note, target) = (self.title.clone(), self.note.clone(), self.target.clone());
        Ok(context.open_plan(account, NewPlan { title, note, target, lifetime: self.lifetime }))
    }
}

fn check_limits(context: &BatchContext<'_>, account: &Account) -> Result<(), Refusal> {
    let plans = context.plans_of(account.no);
    if plans.live >= MAX_LIVE_PLANS as i64 {
        return Err(PlanRefusal::TooManyLive.into());
    }
    let wait = plans.newest_at.map(|at| at + NEW_PLAN_INTERVAL - context.now);
    match wait.filter(|wait| *wait > TimeDelta::zero()) {
        Some(wait) => Err(PlanRefusal::TooSoon { wait }.into()),
        None => Ok(()),
    }
}

/// Opens a plan in the name of an agent, a person with a pass, or the operators.
///
/// # Errors
/// The first refusal: of the fields, of the account, of a text, or of a limit.
pub async fn create(
    (state, filters): (&AppState, &Filters),
    author: &Agent,
    body: &NewPlanBody,
) -> Result<PlanResponse, Refusal> {
    let size = state.read_world(|world| world.season.size);
    let target = parse_target(size, (body.x, body.y), &body.rows)?;
    let lifetime = parse_lifetime(body.expires_in)?;
    permissions::check(state, author, AccountAction::Plan).await?;
    let texts =
        FilteredTexts::filter(filters, &author.key_hash, Some(&body.title), body.note.as_deref()).await?;
    let command = CreatePlan {
        author: author.no,
        title: texts.title.unwrap_or_default(),
        note: texts.note.filter(|note| !note.is_empty()),
        target: Arc::new(target),
        lifetime,
    };
    let view = submit(state, author, command).await?;
    PlanResponse::from_view(state, &view, texts.changed).await
}

/// Submits a command about a plan, which has no idempotency key.
pub(super) async fn submit<C: Command>(
    state: &AppState,
    account: &Agent,
    command: C,
) -> Result<C::Output, Refusal> {
    match state.log.submit(account, None, command, None).await {
        Ok(CommandOutcome::Executed(output)) => Ok(output),
        Ok(CommandOutcome::Replayed(_)) => Err(Refusal::Unavailable),
        Err(refusal) => Err(Box::pin(permissions::with_appeal(state, account, refusal)).await),
    }
}
