//! The live plans of the projection.

use std::collections::HashSet;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use rules::grid::Point;

use super::World;
use crate::live::plan::{PlanChange, PlanRecord, PlanView};
use crate::log::plan_board::{LivePlan, PlanBoard, count_helpers};

impl World {
    /// Returns the live plans. The time of some may have passed.
    pub fn plans(&self) -> &PlanBoard {
        &self.plans
    }

    /// Returns a live plan with its progress and its helpers.
    pub fn plan_view(&self, plan: &LivePlan, now: DateTime<Utc>) -> PlanView {
        let (record, progress) = (plan.record.clone(), plan.progress());
        let helpers = count_helpers(&record, |point| self.newest_placement(point));
        PlanView { state: record.state_with(progress, now), progress, helpers, record }
    }

    /// Adds a live plan that was read at the head, with the points that were right since its picture was set.
    pub fn load_plan(&mut self, record: PlanRecord, once_right: HashSet<Point>) {
        let (pixels, size) = (&self.pixels, self.season.size);
        self.plans.load(Arc::new(record), |point| pixels[size.index(point)], once_right);
    }

    /// Applies a change of a plan.
    pub(super) fn apply_plan_change(&mut self, change: &PlanChange) {
        let (pixels, size) = (&self.pixels, self.season.size);
        self.plans.apply_change(change, |point| pixels[size.index(point)]);
    }
}
