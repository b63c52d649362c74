//! Plans, as part of a batch.

use std::collections::HashMap;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use platform::clock;
use rules::grid::Point;
use rules::numbers::{AccountNo, Seq};
use rules::plan::{PlanState, ProgressTracker, Target};

use super::batch_context::{Account, BatchContext};
use super::newest_placement::NewestPlacement;
use super::plan_board::count_helpers;
use crate::log::live::event::Event;
use crate::log::live::plan::{
    PlanAuthor, PlanChange, PlanCrew, PlanEnd, PlanRecord, PlanView, ShadowPlanChange,
};

/// A plan to open.
pub struct NewPlan {
    pub title: String,
    pub note: Option<String>,
    pub target: Arc<Target>,
    pub lifetime: TimeDelta,
    /// `None` if it belongs to no crew.
    pub crew: Option<PlanCrew>,
    /// True if only the members of its crew are to see it.
    pub is_private: bool,
}

/// The plans of one author that count for its limits.
#[derive(Clone, Debug, Default)]
pub struct AuthorPlans {
    /// The number of plans that have not ended.
    pub live: i64,
    /// The time of the newest plan; `None` if there is none.
    pub newest_at: Option<DateTime<Utc>>,
    /// The number of plans that have not ended of the accounts that were registered from the author's address
    /// and have placed no pixel.
    pub live_of_newcomers: i64,
    /// The keyed hash of that address; `None` if it is not known.
    pub registered_from: Option<Vec<u8>>,
}

/// Plans by id, and the plans of authors by number.
#[derive(Debug, Default)]
pub struct PlanLookups {
    pub by_id: HashMap<String, Arc<PlanRecord>>,
    /// The damaged pixels of those of these plans that not everyone can see, which are not in memory.
    pub damaged: HashMap<String, Vec<Point>>,
    pub of_authors: HashMap<AccountNo, AuthorPlans>,
}

impl BatchContext<'_> {
    /// Returns a requested plan, including changes of this batch; `None` if there is none.
    pub fn plan(&self, id: &str) -> Option<&Arc<PlanRecord>> {
        self.lookups.plans.by_id.get(id)
    }

    /// Returns the live plans of the season that have a colour for a point, as of the head: those that
    /// everyone can see, and the requested ones that not everyone can see. The time of some may have passed.
    pub fn live_plans_at(&self, point: Point) -> impl Iterator<Item = &Arc<PlanRecord>> {
        let is_seen_otherwise =
            |id: &str| self.lookups.plans.by_id.get(id).is_some_and(|plan| plan.is_shadow);
        let public = self.world.plans().at(point).map(|plan| &plan.record);
        let public = public.filter(move |record| !is_seen_otherwise(&record.id));
        let others =
            self.lookups.plans.by_id.values().filter(|record| !record.is_public() && record.is_live());
        let has_color = move |record: &&Arc<PlanRecord>| record.target.color(point).is_some();
        public.chain(others.filter(has_color))
    }

    /// Returns the plans of a requested author, including those of this batch.
    pub fn plans_of(&self, author: AccountNo) -> AuthorPlans {
        self.lookups.plans.of_authors.get(&author).cloned().unwrap_or_default()
    }

    /// Opens a plan. One that not everyone can see is no event: that of a shadow-banned author, and a private
    /// one.
    pub fn open_plan(&mut self, account: &Account, new: NewPlan) -> PlanView {
        let NewPlan { title, note, target, lifetime, crew, is_private } = new;
        let is_shadow = account.rights.shadowed;
        let is_public = !is_shadow && !is_private;
        // The store gives a plan without an event its number.
        let seq = if is_public { self.next_seq() } else { self.head };
        // Nothing was achieved if the picture was there before the plan.
        let is_complete = target.pixels().all(|(point, color)| self.color(point) == color.index());
        let record = PlanRecord {
            no: if is_public { seq.0 } else { 0 },
            id: clock::new_id("plan"),
            season: self.season.seq,
            author: PlanAuthor { no: account.no, id: account.id.clone(), name: account.name.clone() },
            crew: crew.map(Arc::new),
            version: 1,
            title,
            note,
            target,
            target_seq: seq,
            created_at: self.now,
            changes_until: None,
            expires_at: self.now + lifetime,
            finished_at: None,
            told_state: PlanState::Open,
            is_announced: is_complete,
            is_hidden: false,
            is_shadow,
            is_private,
            shadow_change: None,
            end: None,
        };
        self.count_new_plan(account);
        self.record_plan(record, seq)
    }

    /// Counts a new plan for its author, and for the newcomers of the author's address if the author is one.
    fn count_new_plan(&mut self, account: &Account) {
        let of_authors = &mut self.lookups.plans.of_authors;
        let of_author = of_authors.entry(account.no).or_default();
        (of_author.live, of_author.newest_at) = (of_author.live + 1, Some(self.now));
        if !account.is_newcomer() {
            return;
        }
        let address = of_author.registered_from.clone();
        let shares_address = |(author, plans): &(&AccountNo, &mut AuthorPlans)| {
            **author == account.no || address.is_some() && plans.registered_from == address
        };
        of_authors.iter_mut().filter(shares_address).for_each(|(_, plans)| plans.live_of_newcomers += 1);
    }

    /// Writes a changed plan. With `sets_target` its progress begins anew. A plan that everyone can see gets
    /// an event.
    pub fn update_plan(&mut self, mut record: PlanRecord, sets_target: bool) -> PlanView {
        let seq = if record.is_public() { self.next_seq() } else { self.head };
        if sets_target {
            record.target_seq = seq;
            self.lookups.plans.damaged.remove(&record.id);
        }
        self.record_plan(record, seq)
    }

    /// Stores a change of a public plan that only its shadow-banned author sees, given the plan as the author
    /// is to see it. With `sets_target` the progress that it sees begins anew.
    pub fn change_shadow_plan(
        &mut self,
        record: &PlanRecord,
        mut seen: PlanRecord,
        sets_target: bool,
    ) -> PlanView {
        seen.is_shadow = true;
        if sets_target {
            seen.target_seq = self.head;
        }
        let shadow_change = Some(ShadowPlanChange::from_seen(&seen).into());
        let record = Arc::new(PlanRecord { shadow_change, ..record.clone() });
        self.lookups.plans.by_id.insert(record.id.clone(), record.clone());
        self.effects.plans.insert(record.id.clone(), record);
        self.plan_view(seen.into())
    }

    /// Ends a plan with its progress as of now.
    pub fn end_plan(&mut self, record: &PlanRecord, state: PlanState) -> PlanView {
        let PlanView { progress, helpers, .. } = self.plan_view(Arc::new(record.clone()));
        let finished_at = record.finished_at.or_else(|| (progress.left == 0).then_some(self.now));
        let end = Some(PlanEnd { at: self.now, progress, helpers });
        let of_author = self.lookups.plans.of_authors.entry(record.author.no).or_default();
        of_author.live = (of_author.live - 1).max(0);
        self.update_plan(PlanRecord { told_state: state, finished_at, end, ..record.clone() }, false)
    }

    /// Returns a plan with its progress after the commands decided so far.
    pub fn plan_view(&self, record: Arc<PlanRecord>) -> PlanView {
        if let Some(end) = &record.end {
            let progress = end.progress;
            let helpers = end.helpers.clone();
            return PlanView { state: record.told_state, progress, helpers, record };
        }
        let progress = self.plan_tracker(&record).progress();
        let helpers = count_helpers(&record, |point| self.newest_placement(point));
        PlanView { state: record.state_with(progress, self.now), progress, helpers, record }
    }

    /// Adds the newest state of a plan to the effects, with an event if everyone can see the plan. A plan
    /// whose pixels are all right is finished from now on.
    fn record_plan(&mut self, mut record: PlanRecord, seq: Seq) -> PlanView {
        if record.end.is_none() {
            let progress = self.plan_tracker(&record).progress();
            if progress.left == 0 {
                record.finished_at = record.finished_at.or(Some(self.now));
            }
            record.told_state = record.state_with(progress, self.now);
        }
        let record = Arc::new(record);
        self.lookups.plans.by_id.insert(record.id.clone(), record.clone());
        if record.is_public() {
            let plan_id = record.id.clone();
            let state = record.told_state;
            let version = record.version;
            let change = PlanChange { seq, plan_id, state, version, record: record.clone() };
            self.effects.events.push(Event::Plan(change));
        }
        self.effects.plans.insert(record.id.clone(), record.clone());
        self.plan_view(record)
    }

    /// Returns the progress of a plan: that of the world, and the placements of this batch since the picture
    /// was set.
    fn plan_tracker(&self, record: &PlanRecord) -> ProgressTracker {
        let live = self.world.plans().get(record.no).filter(|_| !record.is_shadow);
        let live = live.filter(|live| live.record.target_seq == record.target_seq);
        let mut tracker = live.map_or_else(|| self.new_tracker(record), |live| live.tracker.clone());
        for placement in self.effects.placements.iter().map(|placement| &placement.event) {
            if placement.seq > record.target_seq {
                tracker.apply(placement.point, placement.color);
            }
        }
        tracker
    }

    /// Returns the progress of a plan that is not in memory: at the event that has set the picture, if this
    /// batch has set it, otherwise as of the world.
    fn new_tracker(&self, record: &PlanRecord) -> ProgressTracker {
        let placements = self.effects.placements.iter().map(|placement| &placement.event);
        let earlier: HashMap<Point, u8> = placements
            .filter(|placement| placement.seq <= record.target_seq)
            .map(|placement| (placement.point, placement.color))
            .collect();
        let color_at = |point| earlier.get(&point).copied().unwrap_or_else(|| self.world.color(point));
        let mut tracker = ProgressTracker::new(record.target.clone(), color_at);
        let damaged = self.lookups.plans.damaged.get(&record.id).into_iter().flatten();
        damaged.for_each(|point| tracker.record_was_right(*point));
        tracker
    }

    fn newest_placement(&self, point: Point) -> NewestPlacement {
        self.placed_pixels.get(&point).copied().unwrap_or_else(|| self.world.newest_placement(point))
    }
}
