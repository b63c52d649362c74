//! The live plans of the projection.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use rules::grid::Point;
use rules::numbers::Seq;
use rules::palette::Color;

use super::World;
use crate::log::live::plan::{PlanChange, PlanRecord, PlanView};
use crate::log::newest_placement::NewestPlacement;
use crate::log::plan_board::{LivePlan, PlanBoard, count_helpers};

/// A pixel that was painted since the picture of a plan was set and does not have the wanted colour.
#[derive(Clone, Copy, Debug)]
pub struct WrongPixel {
    /// The newest placement on it.
    pub newest_seq: Seq,
    pub wanted: Color,
}

impl World {
    /// Returns the live plans. The time of some may have passed.
    pub fn plans(&self) -> &PlanBoard {
        &self.plans
    }

    /// Returns a live plan with its progress and its helpers.
    pub fn plan_view(&self, plan: &LivePlan, now: DateTime<Utc>) -> PlanView {
        let record = plan.record.clone();
        let progress = plan.progress();
        let helpers = count_helpers(&record, |point| self.newest_placement(point));
        PlanView { state: record.state_with(progress, now), progress, helpers, record }
    }

    /// Returns true if a plan belongs to the current season.
    pub fn is_of_season(&self, record: &PlanRecord) -> bool {
        record.season == self.season.seq && self.season.size.rect(record.target.area().corners()).is_some()
    }

    /// Returns true if all pixels of a plan of the current season are right.
    pub fn is_complete(&self, record: &PlanRecord) -> bool {
        let is_right = |(point, wanted): (Point, Color)| self.color(point) == wanted.index();
        self.is_of_season(record) && record.target.pixels().all(is_right)
    }

    /// Returns the number of the newest placement on the picture of a plan; [`Seq::ZERO`] if it was never
    /// painted.
    pub fn newest_seq_in(&self, record: &PlanRecord) -> Seq {
        record.target.pixels().map(|(point, _)| self.newest_placement(point).seq).max().unwrap_or(Seq::ZERO)
    }

    /// Returns the wrong pixels of a plan that were painted since its picture was set; none if it belongs to
    /// another season.
    pub fn wrong_pixels(&self, record: &PlanRecord) -> Vec<WrongPixel> {
        if !self.is_of_season(record) {
            return Vec::new();
        }
        let pixels = record.target.pixels();
        let newest = pixels.map(|(point, wanted)| (self.newest_placement(point), wanted));
        let is_wrong = |(newest, wanted): &(NewestPlacement, Color)| {
            newest.color != wanted.index() && newest.seq > record.target_seq
        };
        let wrong = newest.filter(is_wrong);
        wrong.map(|(newest, wanted)| WrongPixel { newest_seq: newest.seq, wanted }).collect()
    }

    /// Adds a live plan that was read at the head, with the pixels that were right since its picture was set
    /// and are wrong now.
    pub fn load_plan(&mut self, record: PlanRecord, damaged: Vec<Point>) {
        let mut plans = std::mem::take(&mut self.plans);
        plans.load(Arc::new(record), |point| self.newest_placement(point), damaged);
        self.plans = plans;
    }

    /// Returns true if a plan may have been hidden or restored, so that the messages that name it must be
    /// read again. One that is restored has ended before.
    pub fn changes_messages(&self, change: &PlanChange) -> bool {
        let record = &change.record;
        record.is_hidden || record.end.is_some() && self.plans.get(record.no).is_none()
    }

    /// Applies a change of a plan.
    pub(super) fn apply_plan_change(&mut self, change: &PlanChange) {
        self.needs_refill |= self.changes_messages(change);
        let mut plans = std::mem::take(&mut self.plans);
        plans.apply_change(change, |point| self.newest_placement(point));
        self.plans = plans;
    }
}
