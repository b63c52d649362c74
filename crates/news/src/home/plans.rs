//! The open plans that an agent could help with.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::sync::Arc;

use caraplace_canvas::OwnPixel;
use caraplace_canvas::plans::board::{LivePlan, PlanBoard};
use caraplace_canvas::plans::views::{live_unlisted_plans, plan_views};
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use caraplace_log::world::World;
use platform::refusal::Refusal;
use rules::grid::{Corners, Rect};
use rules::next_steps::OpenPlan;
use rules::plan::PlanState;
use rules::plan::record::{PlanRecord, PlanView};
use serde::Serialize;
use utoipa::ToSchema;

use super::nearby_intents::distance_to_places;
use super::store;

/// The maximum number of plans in a response.
const MAX_PLANS: usize = 3;

/// An open plan that needs painters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct HomePlan {
    /// `plan_…`.
    pub id: String,
    pub title: String,
    /// The edges of the picture, inclusive.
    pub x1: i64,
    pub y1: i64,
    pub x2: i64,
    pub y2: i64,
    /// Number of pixels that are left to paint.
    pub left: usize,
    /// True if others have claimed pixels of it for the next minutes.
    pub claimed: bool,
    /// True if pixels of yours are right in it.
    pub you_help: bool,
}

impl HomePlan {
    fn from_record(record: &PlanRecord, left: usize, you_help: bool) -> Self {
        let Corners { x1, y1, x2, y2 } = record.target.area().corners();
        let id = record.id.clone();
        let title = record.title.clone();
        Self { id, title, x1, y1, x2, y2, left, claimed: false, you_help }
    }

    /// Returns the plan as the next steps name it.
    pub(super) fn to_open_plan(&self) -> OpenPlan {
        OpenPlan { id: self.id.clone(), left: self.left, has_helped: self.you_help }
    }
}

/// A plan with pixels left, and its distance from the agent.
struct Candidate {
    record: Arc<PlanRecord>,
    left: usize,
    you_help: bool,
    /// The number of painters other than the author.
    painters: usize,
}

/// Returns the open plans for an agent with these visible pixels and places. Plans that it helps come first,
/// then those with the most painters other than their authors, then the nearest, then the newest. To an agent
/// without places, all are equally near.
pub(super) async fn find_open_plans(
    state: &AppState,
    agent: &Identity,
    visible: &[OwnPixel],
    places: &[Rect],
) -> Result<Vec<HomePlan>, Refusal> {
    let mut candidates = state.read_world(|world| find_candidates(state, world, visible));
    let unlisted = live_unlisted_plans(state, agent).await?;
    candidates.retain(|candidate| unlisted.iter().all(|plan| plan.no != candidate.record.no));
    candidates.extend(find_unlisted_candidates(state, agent, &unlisted).await?);
    candidates.sort_by_key(|candidate| Reverse(candidate.record.created_at));
    // Distances are computed without the lock, because there may be many plans and places.
    candidates.sort_by_cached_key(|candidate| {
        let distance = distance_to_places(candidate.record.target.area(), places);
        (!candidate.you_help, Reverse(candidate.painters), distance)
    });
    candidates.truncate(MAX_PLANS);
    let numbers: Vec<i64> = candidates.iter().map(|candidate| candidate.record.no).collect();
    let claimed = if numbers.is_empty() {
        Vec::new()
    } else {
        store::plans_claimed_by_others(&state.pool, &numbers, agent.no, state.clock.now()).await?
    };
    let to_plan = |Candidate { record, left, you_help, .. }: Candidate| {
        let claimed = claimed.contains(&record.no);
        HomePlan { claimed, ..HomePlan::from_record(&record, left, you_help) }
    };
    Ok(candidates.into_iter().map(to_plan).collect())
}

/// Returns the open plans, newest first.
fn find_candidates(state: &AppState, world: &World, visible: &[OwnPixel]) -> Vec<Candidate> {
    let now = state.clock.now();
    let helped = find_helped(world, visible);
    let live = PlanBoard::of(world).iter().rev().filter(|plan| !plan.record.has_ended(now));
    let open = live.filter(|plan| plan.record.state_with(plan.progress(), now) == PlanState::Open);
    let to_candidate = |plan: &LivePlan| Candidate {
        record: plan.record.clone(),
        left: plan.progress().left,
        you_help: helped.contains(&plan.record.no),
        painters: plan.other_painters(),
    };
    open.map(to_candidate).collect()
}

/// Returns those of these plans that are open. Not everyone can see them, so they are not in memory.
async fn find_unlisted_candidates(
    state: &AppState,
    agent: &Identity,
    plans: &[Arc<PlanRecord>],
) -> Result<Vec<Candidate>, Refusal> {
    let views = plan_views(state, plans, state.clock.now()).await?.into_iter();
    let open = views.filter(|view| view.state == PlanState::Open);
    let to_candidate = |PlanView { record, progress, helpers, .. }: PlanView| Candidate {
        painters: helpers.iter().filter(|helper| helper.painter != record.author.no).count(),
        record,
        left: progress.left,
        you_help: helpers.iter().any(|helper| helper.painter == agent.no),
    };
    Ok(open.map(to_candidate).collect())
}

/// Returns the numbers of the live plans in which pixels of the agent are right, of those that it placed
/// after the plan was opened.
fn find_helped(world: &World, visible: &[OwnPixel]) -> HashSet<i64> {
    let helped = |placement: &OwnPixel| {
        let point = placement.point;
        let color = world.canvas.newest_placement(placement.point).color;
        let plans = PlanBoard::of(world).at(point).filter(|plan| plan.record.opened_seq() < placement.seq);
        let right = plans
            .filter(|plan| plan.record.target.color(point).is_some_and(|wanted| wanted.index() == color));
        right.map(|plan| plan.record.no).collect::<Vec<_>>()
    };
    visible.iter().flat_map(helped).collect()
}
