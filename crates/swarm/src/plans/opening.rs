//! Opens the plans of a run: each by another agent, because an agent may open one per minute.

use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::{
    api_types::Account,
    client::ApiRequest,
    failure::Failure,
    plans::{
        PictureSource, PlanRun, PlanWork,
        api_types::{NewPlan, Plan, PlanResponse, PlansResponse},
        tiles,
    },
    route::Route,
    run_context::RunContext,
    stop::pause,
    work_split,
};

/// Maximum number of requests for one plan.
const MAX_ATTEMPTS: u32 = 20;
/// Pause before a plan whose request got no response is looked up.
const LOOKUP_DELAY: Duration = Duration::from_millis(500);

/// Opens the plans that show a picture.
pub async fn open_plans(
    context: &RunContext,
    accounts: &[Account],
    source: &PictureSource,
) -> Result<PlanRun> {
    let picture = source.load(&context.canvas).await?;
    let offset = context.args.offset.unwrap_or_else(|| work_split::centred_offset(&picture, &context.canvas));
    let new_plans = tiles::cut_picture(&picture, offset, source.title());
    if new_plans.is_empty() || new_plans.len() > accounts.len() {
        bail!("{} agents cannot open {} plans, one each", accounts.len(), new_plans.len());
    }
    let mut plans = Vec::new();
    for (account, new_plan) in accounts.iter().zip(&new_plans) {
        let plan = open_plan(context, account, new_plan).await.context("a plan could not be opened")?;
        let work = PlanWork::new(plan.clone(), new_plan);
        if plan.progress.total != work.target.len() {
            let (total, expected) = (plan.progress.total, work.target.len());
            context.ledger.record_fault(format!("{}: {total} pixels in total, not {expected}", plan.id));
        }
        plans.push(work);
    }
    Ok(PlanRun::new(plans))
}

/// Opens a plan. A request whose outcome is unknown may have opened it, so it is looked up before the next one.
async fn open_plan(context: &RunContext, account: &Account, new_plan: &NewPlan) -> Result<Plan, Failure> {
    let request = ApiRequest::new(Route::OpenPlan).with_api_key(&account.api_key).with_json(new_plan)?;
    let mut attempts = 0;
    loop {
        match context.client.send_once::<PlanResponse>(&request).await {
            Ok(response) => return Ok(response.body.plan),
            Err(failure) if failure.is_transient() && attempts < MAX_ATTEMPTS => {
                attempts += 1;
                let delay = failure.retry_delay().min(LOOKUP_DELAY);
                if !pause(&context.stop, delay).await {
                    return Err(failure);
                }
            }
            Err(failure) => return Err(failure),
        }
        if let Some(plan) = find_own_plan(context, account, &new_plan.title).await? {
            return Ok(plan);
        }
    }
}

async fn find_own_plan(
    context: &RunContext,
    account: &Account,
    title: &str,
) -> Result<Option<Plan>, Failure> {
    let request = ApiRequest::new(Route::Plans)
        .with_api_key(&account.api_key)
        .with_query(format!("?author={}", account.id));
    let response = context.client.send_with_retries::<PlansResponse>(&request, &context.stop).await?;
    Ok(response.body.plans.into_iter().find(|plan| plan.title == title))
}
