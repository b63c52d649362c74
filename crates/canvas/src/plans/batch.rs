//! Opens, changes and ends plans in a batch.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use caraplace_live::event::Event;
use caraplace_log::batch_context::{Account, BatchContext};
use chrono::TimeDelta;
use platform::clock;
use rules::audience::Audience;
use rules::grid::Point;
use rules::plan::record::{PlanAuthor, PlanChange, PlanCrew, PlanEnd, PlanRecord, PlanView};
use rules::plan::{PlanState, ProgressTracker, Target};

use super::board::{PlanBoard, count_helpers};
use super::part::Plans;

/// A plan to open.
pub(super) struct NewPlan {
    pub title: String,
    pub note: Option<String>,
    pub target: Arc<Target>,
    pub lifetime: TimeDelta,
    /// `None` if it belongs to no crew.
    pub crew: Option<PlanCrew>,
    /// True if only the members of its crew are to see it.
    pub is_private: bool,
}

/// Returns the live plans of the season that have a colour for a point, as of the head: those that everyone
/// can see, and the required ones that not everyone can see. The time of some may have passed.
pub fn live_plans_at<'a>(
    context: &'a BatchContext<'_>,
    point: Point,
) -> impl Iterator<Item = &'a Arc<PlanRecord>> {
    let plans: &Plans = context.part();
    let is_seen_otherwise = |id: &str| plans.find(id).is_some_and(|plan| !plan.audience.is_everyone());
    let public = PlanBoard::of(context.world()).at(point).map(|plan| &plan.record);
    let public = public.filter(move |record| !is_seen_otherwise(&record.id));
    let others = plans.known().filter(|record| !record.is_public() && record.is_live());
    let has_color = move |record: &&Arc<PlanRecord>| record.target.color(point).is_some();
    public.chain(others.filter(has_color))
}

/// Opens a plan. One that not everyone can see is no event: that of a shadow-banned author, and a private
/// one.
pub(super) fn open_plan(context: &mut BatchContext<'_>, account: &Account, new: NewPlan) -> PlanView {
    let NewPlan { title, note, target, lifetime, crew, is_private } = new;
    let audience = account.audience();
    let is_public = audience.is_everyone() && !is_private;
    // The store gives a plan without an event its number.
    let seq = if is_public { context.next_seq() } else { context.head() };
    // Nothing was achieved if the picture was there before the plan.
    let is_complete = target.pixels().all(|(point, color)| context.color(point) == color.index());
    let record = PlanRecord {
        no: if is_public { seq.0 } else { 0 },
        id: clock::new_id("plan"),
        season: context.season.seq,
        author: PlanAuthor { no: account.no, id: account.id.clone(), name: account.name.clone() },
        crew: crew.map(Arc::new),
        version: 1,
        title,
        note,
        target,
        target_seq: seq,
        created_at: context.now,
        changes_until: None,
        expires_at: context.now + lifetime,
        finished_at: None,
        told_state: PlanState::Open,
        is_announced: is_complete,
        is_hidden: false,
        audience,
        is_private,
        shadow_change: None,
        member_changes: BTreeMap::new(),
        end: None,
    };
    let now = context.now;
    context.part_mut::<Plans>().count_new(account, now);
    record_plan(context, record)
}

/// Writes a changed plan. With `sets_target` its progress begins anew. A plan that everyone can see gets an
/// event.
pub(super) fn update_plan(
    context: &mut BatchContext<'_>,
    mut record: PlanRecord,
    sets_target: bool,
) -> PlanView {
    if sets_target {
        record.target_seq = if record.is_public() { context.next_seq() } else { context.head() };
        context.part_mut::<Plans>().clear_damage(&record.id);
    }
    record_plan(context, record)
}

/// Stores a change of a plan that only this shadow-banned account sees, given the plan as the account is to
/// see it. With `sets_target` the progress that it sees begins anew.
pub(super) fn change_shadow_plan(
    context: &mut BatchContext<'_>,
    account: &Account,
    record: &PlanRecord,
    mut seen: PlanRecord,
    sets_target: bool,
) -> PlanView {
    seen.audience = Audience::Author(account.no);
    if sets_target {
        seen.target_seq = context.head();
    }
    let changed = record.with_own_change(account.no, &seen);
    context.part_mut::<Plans>().change(changed.into());
    plan_view(context, seen.into())
}

/// Ends a plan with its progress as of now.
pub(super) fn end_plan(context: &mut BatchContext<'_>, record: &PlanRecord, state: PlanState) -> PlanView {
    let PlanView { progress, helpers, .. } = plan_view(context, Arc::new(record.clone()));
    let finished_at = record.finished_at.or_else(|| (progress.left == 0).then_some(context.now));
    let end = Some(PlanEnd { at: context.now, progress, helpers });
    context.part_mut::<Plans>().count_end(record.author.no);
    update_plan(context, PlanRecord { told_state: state, finished_at, end, ..record.clone() }, false)
}

/// Returns a plan with its progress after the commands decided so far.
pub(super) fn plan_view(context: &BatchContext<'_>, record: Arc<PlanRecord>) -> PlanView {
    if let Some(end) = &record.end {
        let progress = end.progress;
        let helpers = end.helpers.clone();
        return PlanView { state: record.told_state, progress, helpers, record };
    }
    let progress = plan_tracker(context, &record).progress();
    let helpers = count_helpers(&record, |point| context.newest_placement(point));
    PlanView { state: record.state_with(progress, context.now), progress, helpers, record }
}

/// Adds the newest state of a plan to the batch, with an event if everyone can see the plan. A plan whose
/// pixels are all right is finished from now on.
fn record_plan(context: &mut BatchContext<'_>, mut record: PlanRecord) -> PlanView {
    if record.end.is_none() {
        let progress = plan_tracker(context, &record).progress();
        if progress.left == 0 && record.finished_at.is_none() {
            record.finished_at = Some(context.now);
            if !record.audience.is_everyone() && !record.is_private {
                let seq = context.head();
                context.part_mut::<Plans>().finish_shadow_plan(&record, seq);
            }
        }
        record.told_state = record.state_with(progress, context.now);
    }
    let record = Arc::new(record);
    if record.is_public() {
        let change = PlanChange {
            seq: context.next_seq(),
            plan_id: record.id.clone(),
            state: record.told_state,
            version: record.version,
            record: record.clone(),
        };
        context.append_event(Event::Plan(change.clone()), None);
        context.part_mut::<Plans>().add_event(change);
    }
    context.part_mut::<Plans>().change(record.clone());
    plan_view(context, record)
}

/// Returns the progress of a plan: that of the world, and the placements of this batch since the picture was
/// set.
fn plan_tracker(context: &BatchContext<'_>, record: &PlanRecord) -> ProgressTracker {
    let live = PlanBoard::of(context.world()).get(record.no).filter(|_| record.audience.is_everyone());
    let live = live.filter(|live| live.record.target_seq == record.target_seq);
    let mut tracker = live.map_or_else(|| new_tracker(context, record), |live| live.tracker.clone());
    for placement in context.placements() {
        if placement.seq > record.target_seq {
            tracker.apply(placement.point, placement.color);
        }
    }
    tracker
}

/// Returns the progress of a plan that is not in memory: at the event that has set the picture, if this batch
/// has set it, otherwise as of the world.
fn new_tracker(context: &BatchContext<'_>, record: &PlanRecord) -> ProgressTracker {
    let earlier: HashMap<Point, u8> = context
        .placements()
        .filter(|placement| placement.seq <= record.target_seq)
        .map(|placement| (placement.point, placement.color))
        .collect();
    let canvas = &context.world().canvas;
    let color_at = |point| earlier.get(&point).copied().unwrap_or_else(|| canvas.color(point));
    let mut tracker = ProgressTracker::new(record.target.clone(), color_at);
    let damaged = context.part::<Plans>().damaged_points(&record.id);
    damaged.iter().for_each(|point| tracker.record_was_right(*point));
    tracker
}
