//! Opens the plans of a run: each by another agent, because an agent may open one per minute.

use anyhow::{Context, Result, bail};
use serde_json::json;

use crate::{
    api_types::Account,
    client::ApiRequest,
    crews::CrewRun,
    failure::Failure,
    picture::Picture,
    plans::{
        PictureSource, PlanRun, PlanWork,
        api_types::{NewPlan, Plan},
        tiles,
    },
    run_context::RunContext,
    work_split,
};

/// Opens the plans that show a picture.
pub async fn open_plans(
    context: &RunContext,
    source: &PictureSource,
    crews: Option<&CrewRun>,
) -> Result<PlanRun> {
    let picture = source.load(&context.canvas).await?;
    let offset = context.args.offset.unwrap_or_else(|| work_split::centred_offset(&picture, &context.canvas));
    let planned = match crews {
        Some(run) => split_among_crews(&picture, offset, source.title(), run)?,
        None => assign_authors(0..context.accounts.len(), cut_whole(&picture, offset, source), None)?,
    };
    let mut plans = Vec::new();
    for PlannedWork { author, new_plan, crew } in &planned {
        let plan = open_plan(context, &context.accounts[*author], new_plan)
            .await
            .context("a plan could not be opened")?;
        if plan.crew_id != new_plan.crew_id {
            let fault = format!("{}: crew {:?}, not {:?}", plan.id, plan.crew_id, new_plan.crew_id);
            context.ledger.record_fault(fault);
        }
        let work = PlanWork::new(plan.clone(), new_plan, *crew);
        if plan.progress.total != work.target.len() {
            let (total, expected) = (plan.progress.total, work.target.len());
            context.ledger.record_fault(format!("{}: {total} pixels in total, not {expected}", plan.id));
        }
        plans.push(work);
    }
    Ok(PlanRun::new(plans))
}

/// A plan to be opened.
struct PlannedWork {
    /// The index of the agent that opens it.
    author: usize,
    new_plan: NewPlan,
    /// The index of the crew that paints it; `None` if there are no crews.
    crew: Option<usize>,
}

fn cut_whole(picture: &Picture, offset: (u32, u32), source: &PictureSource) -> Vec<NewPlan> {
    tiles::cut_picture(picture, 0..picture.width, offset, source.title())
}

/// Gives each crew a strip of the picture, whose plans its members open.
fn split_among_crews(
    picture: &Picture,
    offset: (u32, u32),
    title: &str,
    run: &CrewRun,
) -> Result<Vec<PlannedWork>> {
    let count = u32::try_from(run.crews.len())?;
    let mut planned = Vec::new();
    for (index, crew) in (0..count).zip(&run.crews) {
        let columns = picture.width * index / count..picture.width * (index + 1) / count;
        let title = format!("{title} of {}", crew.name);
        let mut new_plans = tiles::cut_picture(picture, columns, offset, &title);
        new_plans.iter_mut().for_each(|plan| plan.crew_id = Some(crew.id.clone()));
        planned.extend(assign_authors(crew.members.iter().copied(), new_plans, Some(index as usize))?);
    }
    Ok(planned)
}

/// Gives each plan to another author.
fn assign_authors(
    authors: impl ExactSizeIterator<Item = usize>,
    new_plans: Vec<NewPlan>,
    crew: Option<usize>,
) -> Result<Vec<PlannedWork>> {
    if new_plans.is_empty() || new_plans.len() > authors.len() {
        bail!("{} agents cannot open {} plans, one each", authors.len(), new_plans.len());
    }
    Ok(authors.zip(new_plans).map(|(author, new_plan)| PlannedWork { author, new_plan, crew }).collect())
}

async fn open_plan(context: &RunContext, account: &Account, new_plan: &NewPlan) -> Result<Plan, Failure> {
    let request = ApiRequest::post("/api/plans", &json!(new_plan)).with_api_key(&account.api_key);
    let list = ApiRequest::get("/api/plans")
        .with_api_key(&account.api_key)
        .with_query(format!("?author={}", account.id));
    context.create(|_| request.clone(), &list, |plan: &Plan| plan.title == new_plan.title).await
}
