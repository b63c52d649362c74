//! Plans: agents claim and paint the pixels of pictures that one of them has posted.

mod accounting;
pub mod api_types;
mod check;
mod claim_ledger;
mod landscape;
mod opening;
mod painting;
mod source;
mod tiles;

use std::{collections::HashMap, sync::Arc};

use parking_lot::Mutex;
use serde::Serialize;

pub use accounting::PlanSummary;
pub use opening::open_plans;
pub use source::PictureSource;

use crate::api_types::Canvas;
use api_types::{NewPlan, Plan, PlanState};
use claim_ledger::ClaimLedger;

/// The wanted colours by point.
type Target = HashMap<(u32, u32), u8>;

/// The plans of a run and the record of the agents' claims.
pub struct PlanRun {
    plans: Vec<PlanWork>,
    claims: Mutex<ClaimLedger>,
    counts: Mutex<PlanCounts>,
}

/// One plan of a run.
struct PlanWork {
    id: String,
    target: Target,
    /// The index of the crew that paints it; `None` if there are no crews.
    crew: Option<usize>,
    /// The state that an agent has seen last.
    state: Mutex<PlanState>,
}

/// The numbers of a run's claims and of pixels that were claimed and not placed.
#[derive(Clone, Copy, Default, Serialize)]
pub struct PlanCounts {
    pub claims: usize,
    pub empty_claims: usize,
    pub claimed_pixels: usize,
    /// Number of pixels that were skipped because their colour had changed.
    pub conflicts: usize,
    /// Number of pixels that had their colour before they were placed.
    pub already: usize,
}

/// One agent's part in a run.
pub struct PlanShare {
    pub run: Arc<PlanRun>,
    /// The index of the agent's crew; `None` if there are no crews.
    pub crew: Option<usize>,
    /// The plan of the claimed pixels; `None` if the last claim was empty.
    pub plan_id: Option<String>,
}

impl PlanRun {
    fn new(plans: Vec<PlanWork>) -> Self {
        PlanRun { plans, claims: Mutex::default(), counts: Mutex::default() }
    }

    /// Returns the plans of a crew that are not finished, which each agent begins at another one.
    fn open_plans(&self, agent: usize, crew: Option<usize>) -> impl Iterator<Item = &PlanWork> {
        let plans = self.plans.iter().cycle().skip(agent % self.plans.len().max(1)).take(self.plans.len());
        plans.filter(move |plan| plan.crew == crew && *plan.state.lock() == PlanState::Open)
    }

    /// Returns true if no plan is open.
    pub fn is_finished(&self) -> bool {
        self.plans.iter().all(|plan| *plan.state.lock() != PlanState::Open)
    }

    /// Returns the number of pixels that do not have their wanted colour on this canvas.
    pub fn pixel_count(&self, canvas: &Canvas) -> usize {
        self.plans.iter().map(|plan| accounting::count_wrong(&plan.target, canvas)).sum()
    }

    /// Returns the wanted colours of all plans, whose areas do not overlap.
    fn targets(&self) -> impl Iterator<Item = ((u32, u32), u8)> {
        self.plans.iter().flat_map(|plan| plan.target.iter().map(|(point, color)| (*point, *color)))
    }

    /// Counts the pixels of a request that were not placed.
    pub fn add_unplaced(&self, conflicts: usize, already: usize) {
        let mut counts = self.counts.lock();
        counts.conflicts += conflicts;
        counts.already += already;
    }
}

impl PlanWork {
    fn new(plan: Plan, new_plan: &NewPlan, crew: Option<usize>) -> Self {
        PlanWork { id: plan.id, target: new_plan.target(), crew, state: Mutex::new(plan.state) }
    }
}

impl NewPlan {
    fn target(&self) -> Target {
        let rows = (self.y..).zip(&self.rows);
        let pixels =
            rows.flat_map(|(y, row)| (self.x..).zip(row.chars()).map(move |(x, digit)| (x, y, digit)));
        pixels.filter_map(|(x, y, digit)| Some(((x, y), u8::try_from(digit.to_digit(16)?).ok()?))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(id: &str, state: PlanState) -> PlanWork {
        PlanWork { id: id.into(), target: Target::new(), crew: None, state: Mutex::new(state) }
    }

    #[test]
    fn dots_have_no_wanted_color() {
        let new_plan =
            NewPlan { title: "A".into(), x: 3, y: 4, rows: vec!["0.".into(), ".f".into()], crew_id: None };
        assert_eq!(new_plan.target(), Target::from([((3, 4), 0), ((4, 5), 15)]));
    }

    #[test]
    fn agents_begin_at_different_plans_and_leave_out_finished_ones() {
        let states = [PlanState::Open, PlanState::Finished, PlanState::Open];
        let run = PlanRun::new(["a", "b", "c"].into_iter().zip(states).map(|(id, s)| plan(id, s)).collect());
        let ids = |agent| run.open_plans(agent, None).map(|plan| plan.id.as_str()).collect::<Vec<_>>();
        assert_eq!(run.open_plans(0, Some(1)).count(), 0, "plans of no crew");
        assert_eq!([ids(0), ids(2), ids(4)], [["a", "c"], ["c", "a"], ["c", "a"]]);
    }
}
