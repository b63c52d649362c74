//! The live plans of the current season, with their progress.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use caraplace_live::event::Event;
use caraplace_log::canvas::{Canvas, NewestPlacement};
use caraplace_log::nouns::EventReader;
use caraplace_log::projection::{AppliedEvent, LoadContext, Projection};
use caraplace_log::sql_future::SqlFuture;
use caraplace_log::world::World;
use chrono::{DateTime, Utc};
use rules::grid::{Point, Rect};
use rules::numbers::AccountNo;
use rules::plan::record::{HelperPixels, PlanChange, PlanRecord, PlanView};
use rules::plan::{Progress, ProgressTracker};
use sqlx::PgConnection;

use super::compare::wrong_pixels;
use super::store;

/// The maximum number of painters that are named.
const MAX_HELPERS: usize = 20;
/// The side of the tiles in which plans are found by a point, in pixels. A picture touches at most 25 of
/// them.
const TILE_SIDE: u16 = 16;

/// The events of plans.
pub const PLAN_EVENTS: EventReader = EventReader { kinds: &["plan"], read: store::read_events };

/// A plan that has not ended, with its progress.
#[derive(Clone, Debug)]
pub struct LivePlan {
    pub record: Arc<PlanRecord>,
    pub tracker: ProgressTracker,
    /// The numbers of right pixels of the painters other than the author.
    painters: HashMap<u32, usize>,
}

impl LivePlan {
    /// Returns the progress.
    pub fn progress(&self) -> Progress {
        self.tracker.progress()
    }

    /// Returns the number of painters other than the author that have right pixels in the plan.
    pub fn other_painters(&self) -> usize {
        self.painters.len()
    }

    /// Returns the plan with its progress and its helpers.
    pub fn view(&self, canvas: &Canvas, now: DateTime<Utc>) -> PlanView {
        let record = self.record.clone();
        let progress = self.progress();
        let helpers = count_helpers(&record, |point| canvas.newest_placement(point));
        PlanView { state: record.state_with(progress, now), progress, helpers, record }
    }

    /// Applies a placement, given the one that it covers.
    fn apply(&mut self, point: Point, placement: NewestPlacement, covered: NewestPlacement) {
        self.tracker.apply(point, placement.color);
        let Some(wanted) = self.record.target.color(point) else { return };
        if covered.color == wanted.index() && is_help_of_others(&self.record, covered) {
            self.remove_pixel(covered.painter);
        }
        if placement.color == wanted.index() && is_help_of_others(&self.record, placement) {
            *self.painters.entry(placement.painter).or_default() += 1;
        }
    }

    fn remove_pixel(&mut self, painter: u32) {
        if let Some(pixels) = self.painters.get_mut(&painter) {
            *pixels -= 1;
            if *pixels == 0 {
                self.painters.remove(&painter);
            }
        }
    }
}

/// The live plans, by their numbers, by their ids and by the tiles that they touch.
#[derive(Default)]
pub struct PlanBoard {
    plans: BTreeMap<i64, LivePlan>,
    numbers_by_id: HashMap<String, i64>,
    /// The areas are kept here so that a placement looks up only the plans that contain its point.
    tiles: HashMap<(u16, u16), Vec<(Rect, i64)>>,
}

impl PlanBoard {
    /// Returns the board of the current season. The time of some plans may have passed.
    pub fn of(world: &World) -> &Self {
        world.projection()
    }

    /// Returns the live plans, oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &LivePlan> {
        self.plans.values()
    }

    /// Returns the live plan with this number; `None` if there is none.
    pub fn get(&self, no: i64) -> Option<&LivePlan> {
        self.plans.get(&no)
    }

    /// Returns the live plan with this id; `None` if there is none.
    pub fn find(&self, id: &str) -> Option<&LivePlan> {
        self.get(*self.numbers_by_id.get(id)?)
    }

    /// Returns the live plans that have a colour for a point.
    pub fn at(&self, point: Point) -> impl Iterator<Item = &LivePlan> {
        let entries = self.tiles.get(&tile_of(point)).map(Vec::as_slice).unwrap_or_default();
        let plans = entries.iter().filter(move |(area, _)| area.contains(point));
        let plans = plans.filter_map(|(_, no)| self.plans.get(no));
        plans.filter(move |plan| plan.record.target.color(point).is_some())
    }

    /// Adds a plan, or replaces it. `newest` returns the newest placement on a pixel of the canvas, and
    /// `was_right` are the points that have been right since the picture was set.
    pub fn load_plan(
        &mut self,
        record: Arc<PlanRecord>,
        newest: impl Fn(Point) -> NewestPlacement,
        was_right: impl IntoIterator<Item = Point>,
    ) {
        self.remove(record.no);
        let mut tracker = ProgressTracker::new(record.target.clone(), |point| newest(point).color);
        let painters = count_painters(&record, newest, |placement| is_help_of_others(&record, placement));
        was_right.into_iter().for_each(|point| tracker.record_was_right(point));
        let area = record.target.area();
        for tile in tiles_of(area) {
            self.tiles.entry(tile).or_default().push((area, record.no));
        }
        self.numbers_by_id.insert(record.id.clone(), record.no);
        self.plans.insert(record.no, LivePlan { record, tracker, painters });
    }

    /// Applies a placement, given the one that it covers.
    pub fn apply_placement(&mut self, point: Point, placement: NewestPlacement, covered: NewestPlacement) {
        if self.plans.is_empty() {
            return;
        }
        for (area, no) in self.tiles.get(&tile_of(point)).into_iter().flatten() {
            if area.contains(point)
                && let Some(plan) = self.plans.get_mut(no)
            {
                plan.apply(point, placement, covered);
            }
        }
    }

    /// Applies a change of a plan. Its progress begins anew if the event has set the picture.
    fn apply_change(&mut self, change: &PlanChange, newest: impl Fn(Point) -> NewestPlacement) {
        let record = &change.record;
        if !record.is_live() {
            self.remove(record.no);
            return;
        }
        // A later event may have set the picture that was read with this one; that event comes here, too.
        match self.plans.get_mut(&record.no).filter(|_| record.target_seq < change.seq) {
            Some(plan) => plan.record = record.clone(),
            None => self.load_plan(record.clone(), newest, []),
        }
    }

    fn remove(&mut self, no: i64) {
        let Some(plan) = self.plans.remove(&no) else { return };
        self.numbers_by_id.remove(&plan.record.id);
        for tile in tiles_of(plan.record.target.area()) {
            if let Some(entries) = self.tiles.get_mut(&tile) {
                entries.retain(|(_, known)| *known != no);
                if entries.is_empty() {
                    self.tiles.remove(&tile);
                }
            }
        }
    }
}

impl Projection for PlanBoard {
    /// Reads the live plans and their progress since their pictures were set.
    fn load<'a>(
        &'a mut self,
        connection: &'a mut PgConnection,
        context: LoadContext<'a>,
    ) -> SqlFuture<'a, ()> {
        Box::pin(async move {
            let canvas = context.canvas;
            let unended = store::unended_plans(connection, canvas.season).await?;
            for plan in unended.into_iter().filter(|plan| plan.is_live() && plan.is_public()) {
                let wrong = wrong_pixels(canvas, &plan);
                let damaged = store::damaged_points(connection, plan.target_seq, &wrong, i32::MAX).await?;
                self.load_plan(plan, |point| canvas.newest_placement(point), damaged);
            }
            Ok(())
        })
    }

    fn apply(&mut self, event: &Event, applied: AppliedEvent<'_>) {
        let AppliedEvent { canvas, covered, .. } = applied;
        match event {
            Event::Pixel(placement) => {
                let newest = canvas.newest_placement(placement.point);
                if let Some(covered) = covered {
                    self.apply_placement(placement.point, newest, covered);
                }
            }
            Event::Plan(change) => self.apply_change(change, |point| canvas.newest_placement(point)),
            Event::Season(_) => *self = Self::default(),
            _ => {}
        }
    }

    /// Returns true if a plan may have been hidden or restored, because messages that name it show that. One
    /// that is restored has ended before.
    fn outdates_others(&self, event: &Event) -> bool {
        let Event::Plan(PlanChange { record, .. }) = event else { return false };
        record.is_hidden || record.end.is_some() && self.get(record.no).is_none()
    }

    fn rename_author(&mut self, author: &Arc<str>, name: &Arc<str>) {
        for plan in self.plans.values_mut().filter(|plan| plan.record.author.id == *author) {
            Arc::make_mut(&mut plan.record).author.name = name.clone();
        }
    }

    fn author_ids(&self) -> Vec<Arc<str>> {
        self.iter().map(|plan| plan.record.author.id.clone()).collect()
    }
}

/// Counts the right pixels of a plan by their painters, those with the most pixels first. Only pixels that
/// were placed, or shown again by a rollback, after the plan was opened count. `newest` returns the newest
/// placement on a point.
pub(crate) fn count_helpers(
    record: &PlanRecord,
    newest: impl Fn(Point) -> NewestPlacement,
) -> Vec<HelperPixels> {
    let counted = count_painters(record, newest, |placement| is_help(record, placement)).into_iter();
    let mut helpers: Vec<_> = counted
        .map(|(painter, pixels)| HelperPixels { painter: AccountNo::of_painter(painter), pixels })
        .collect();
    helpers.sort_by_key(|helper| (Reverse(helper.pixels), helper.painter));
    helpers.truncate(MAX_HELPERS);
    helpers
}

/// Returns the numbers of right pixels of a plan by their painters. Only placements that `counts` returns
/// true for count.
fn count_painters(
    record: &PlanRecord,
    newest: impl Fn(Point) -> NewestPlacement,
    counts: impl Fn(NewestPlacement) -> bool,
) -> HashMap<u32, usize> {
    let mut pixels_by_painter = HashMap::new();
    for (point, color) in record.target.pixels() {
        let placement = newest(point);
        if placement.color == color.index() && counts(placement) {
            *pixels_by_painter.entry(placement.painter).or_default() += 1;
        }
    }
    pixels_by_painter
}

/// Returns true if a painter has placed a pixel after the plan was opened.
fn is_help(record: &PlanRecord, placement: NewestPlacement) -> bool {
    placement.seq > record.opened_seq() && placement.painter != 0
}

/// Returns true if a painter other than the author has placed a pixel after the plan was opened.
fn is_help_of_others(record: &PlanRecord, placement: NewestPlacement) -> bool {
    is_help(record, placement) && AccountNo::of_painter(placement.painter) != record.author.no
}

fn tile_of(point: Point) -> (u16, u16) {
    (point.x / TILE_SIDE, point.y / TILE_SIDE)
}

fn tiles_of(area: Rect) -> impl Iterator<Item = (u16, u16)> {
    let corners = area.corners();
    let tile = |at: i64| at as u16 / TILE_SIDE;
    let columns = tile(corners.x1)..=tile(corners.x2);
    (tile(corners.y1)..=tile(corners.y2))
        .flat_map(move |row| columns.clone().map(move |column| (column, row)))
}

#[cfg(test)]
mod tests;
