//! Reads plans, and ends those of a season.

use std::collections::HashMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use platform::refusal::Refusal;
use rules::grid::Point;
use rules::ids::PlanId;
use rules::plan::{PlanState, Progress, ProgressTracker};
use sqlx::PgConnection;

use super::head_lock::HeadLock;
use super::key_cache::Identity;
use super::plan_board::count_helpers;
use super::world::{World, WrongPixel};
use super::{EventLog, store};
use crate::log::live::plan::{PlanEnd, PlanRecord, PlanView};

/// The number of placements on a pixel that are searched for damage of a plan that is not in memory. The
/// search may hold the head locked.
pub(super) const MAX_SHADOW_STEPS: i32 = 8;

impl EventLog {
    /// Returns a plan as it is stored, hidden ones included; `None` if there is none.
    pub async fn find_plan(&self, id: &PlanId) -> Result<Option<Arc<PlanRecord>>, Refusal> {
        find_plan_on(&mut *self.connection().await?, id).await
    }

    /// Applies everything that was committed before this call, on any instance, and returns a plan as it is
    /// stored then; `None` if there is none. The connection may be in a transaction; no other one is used,
    /// because callers that hold one and wait for another could block each other.
    pub async fn find_newest_plan(
        &self,
        connection: &mut PgConnection,
        id: &PlanId,
    ) -> Result<Option<Arc<PlanRecord>>, Refusal> {
        self.projector.catch_up_on(connection).await?;
        find_plan_on(connection, id).await
    }

    /// Returns those of these plans that exist, hidden ones included, by their ids.
    pub async fn find_plans(&self, ids: &[String]) -> Result<HashMap<String, Arc<PlanRecord>>, Refusal> {
        Ok(store::plans_by_ids(&mut *self.connection().await?, ids).await?)
    }

    /// Returns stored plans with their progress as of now, in their order. The world is locked for each one
    /// alone, because placements wait for the lock.
    pub async fn plan_views(
        &self,
        records: &[Arc<PlanRecord>],
        now: DateTime<Utc>,
    ) -> Result<Vec<PlanView>, Refusal> {
        let mut views = Vec::with_capacity(records.len());
        for record in records {
            let (mut view, wrong) = compare_plan(&self.projector.world.read(), record, now);
            if !wrong.is_empty() {
                let mut connection = self.connection().await?;
                let damaged =
                    store::damaged_points(&mut connection, record.target_seq, &wrong, MAX_SHADOW_STEPS)
                        .await?;
                view.progress.damaged = damaged.len();
            }
            views.push(view);
        }
        Ok(views)
    }

    /// Returns the pixels of a plan of this season that were right since its picture was set and are wrong
    /// now; none if it has ended.
    pub async fn damaged_points(&self, record: &PlanRecord) -> Result<Vec<Point>, Refusal> {
        let wrong = {
            let world = self.projector.world.read();
            if let Some(plan) = world.plans().get(record.no).filter(|_| !record.is_shadow) {
                return Ok(plan.tracker.damaged().collect());
            }
            if record.is_live() { world.wrong_pixels(record) } else { Vec::new() }
        };
        Ok(store::damaged_points(&mut *self.connection().await?, record.target_seq, &wrong, MAX_SHADOW_STEPS)
            .await?)
    }

    /// Returns the live plans of this season that are not public, or of which the account sees another
    /// version than the public. They are the account's own plans and those of its crews, each as the account
    /// sees it.
    pub async fn live_unlisted_plans(&self, account: &Identity) -> Result<Vec<Arc<PlanRecord>>, Refusal> {
        let mut connection = self.connection().await?;
        let ids = store::live_unlisted_plan_ids(&mut connection, account.no, account.rights.shadowed).await?;
        let records = store::plans_by_ids(&mut connection, &ids).await?;
        let season = self.projector.world.read().season.seq;
        let of_season = ids.iter().filter_map(|id| records.get(id)).filter(|plan| plan.season == season);
        let visible = of_season.filter(|plan| plan.is_visible_to(Some(account.no)));
        Ok(visible.map(|plan| plan.seen_by(account.no, account.rights.shadowed)).collect())
    }

    /// Returns the ids of plans that not everyone can see and whose time has passed, at most `limit`.
    pub async fn expired_unlisted_plans(&self, limit: usize) -> Result<Vec<String>, Refusal> {
        let now = self.projector.clock.now();
        Ok(store::expired_unlisted_plan_ids(&mut *self.connection().await?, now, limit as i64).await?)
    }

    /// Returns the plans of this season that not everyone can see, have not ended, and were never finished,
    /// with numbers below `before`, newest first, at most `limit`.
    pub async fn unfinished_unlisted_plans(
        &self,
        before: i64,
        limit: usize,
    ) -> Result<Vec<Arc<PlanRecord>>, Refusal> {
        let season = self.projector.world.read().season.seq;
        let mut connection = self.connection().await?;
        let ids = store::unfinished_unlisted_plan_ids(&mut connection, season, before, limit as i64).await?;
        Ok(store::plans_by_ids(&mut connection, &ids).await?.into_values().collect())
    }

    /// Ends all plans of the current season, which is about to end. The head must be locked.
    ///
    /// # Errors
    /// `Unavailable` if the database fails.
    pub async fn end_plans(
        &self,
        connection: &mut PgConnection,
        head_lock: &mut HeadLock,
    ) -> Result<(), Refusal> {
        // With the head locked nothing new is written, so the progress in memory is exact after this.
        self.projector.catch_up_on(connection).await?;
        let season = self.projector.world.read().season.seq;
        let records = store::unended_plans(connection, season).await?;
        let mut ended = Vec::with_capacity(records.len());
        for record in records.into_iter().map(Arc::new) {
            let (mut view, wrong) = compare_plan(&self.projector.world.read(), &record, head_lock.now);
            let damaged =
                store::damaged_points(connection, record.target_seq, &wrong, MAX_SHADOW_STEPS).await?;
            view.progress.damaged += damaged.len();
            let told_state = match view.state {
                PlanState::Open => PlanState::Expired,
                state => state,
            };
            let finished_now = (view.progress.left == 0).then_some(head_lock.now);
            let finished_at = record.finished_at.or(finished_now);
            let end = PlanEnd { at: head_lock.now, progress: view.progress, helpers: view.helpers };
            ended.push(PlanRecord { told_state, finished_at, end: Some(end), ..PlanRecord::clone(&record) });
        }
        Ok(head_lock.end_plans(connection, ended).await?)
    }
}

async fn find_plan_on(
    connection: &mut PgConnection,
    id: &PlanId,
) -> Result<Option<Arc<PlanRecord>>, Refusal> {
    let ids = [id.as_str().to_owned()];
    Ok(store::plans_by_ids(connection, &ids).await?.remove(id.as_str()))
}

/// Returns a plan with its progress: as it ended, as the live one in memory, or compared with the canvas if
/// it is not known there. In the last case its damage is yet to be counted, among the pixels that are
/// returned.
fn compare_plan(world: &World, record: &Arc<PlanRecord>, now: DateTime<Utc>) -> (PlanView, Vec<WrongPixel>) {
    if let Some(end) = &record.end {
        let progress = end.progress;
        let helpers = end.helpers.clone();
        return (
            PlanView { record: record.clone(), state: record.told_state, progress, helpers },
            Vec::new(),
        );
    }
    // The author of a public plan may see another picture than everyone else.
    if let Some(live) = world.plans().get(record.no).filter(|_| !record.is_shadow) {
        return (world.plan_view(live, now), Vec::new());
    }
    if !world.is_of_season(record) {
        let total = record.target.pixels().count();
        let progress = Progress { total, left: total, ..Progress::default() };
        let state = PlanState::Expired;
        return (PlanView { record: record.clone(), state, progress, helpers: Vec::new() }, Vec::new());
    }
    let progress = ProgressTracker::new(record.target.clone(), |point| world.color(point)).progress();
    let helpers = count_helpers(record, |point| world.newest_placement(point));
    let state = record.state_with(progress, now);
    (PlanView { record: record.clone(), state, progress, helpers }, world.wrong_pixels(record))
}
