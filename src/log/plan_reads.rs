//! Reads plans, and ends those of a season.

use std::collections::HashMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use rules::ids::PlanId;
use rules::plan::{PlanState, Progress, ProgressTracker};
use sqlx::PgConnection;

use super::head_lock::HeadLock;
use super::plan_board::count_helpers;
use super::world::World;
use super::{EventLog, store};
use crate::live::plan::{PlanEnd, PlanRecord, PlanView};
use crate::refusal::Refusal;

impl EventLog {
    /// Returns a plan as it is stored, hidden ones included; `None` if there is none.
    ///
    /// # Errors
    /// `Unavailable` if the database cannot be read.
    pub async fn find_plan(&self, id: &PlanId) -> Result<Option<Arc<PlanRecord>>, Refusal> {
        let ids = [id.as_str().to_owned()];
        Ok(store::plans_by_ids(&mut *self.connection().await?, &ids).await?.remove(id.as_str()))
    }

    /// Returns those of these plans that exist, hidden ones included, by their ids.
    ///
    /// # Errors
    /// `Unavailable` if the database cannot be read.
    pub async fn find_plans(&self, ids: &[String]) -> Result<HashMap<String, Arc<PlanRecord>>, Refusal> {
        Ok(store::plans_by_ids(&mut *self.connection().await?, ids).await?)
    }

    /// Returns stored plans with their progress as of now, in their order.
    pub fn plan_views(&self, records: &[Arc<PlanRecord>], now: DateTime<Utc>) -> Vec<PlanView> {
        let world = self.projector.world.read();
        records.iter().map(|record| plan_view(&world, record, now)).collect()
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
        self.projector.catch_up().await?;
        let season = self.projector.world.read().season.seq;
        let records = store::unended_plans(connection, season).await?;
        let mut ended = Vec::with_capacity(records.len());
        for record in records.into_iter().map(Arc::new) {
            let view = plan_view(&self.projector.world.read(), &record, head_lock.now);
            let told_state = match view.state {
                PlanState::Open => PlanState::Expired,
                state => state,
            };
            let end = PlanEnd { at: head_lock.now, progress: view.progress, helpers: view.helpers };
            ended.push(PlanRecord { told_state, end: Some(end), ..PlanRecord::clone(&record) });
        }
        Ok(head_lock.end_plans(connection, ended).await?)
    }
}

/// Returns a plan with its progress: as it ended, as the live one in memory, or compared with the canvas if it is
/// not known there.
fn plan_view(world: &World, record: &Arc<PlanRecord>, now: DateTime<Utc>) -> PlanView {
    if let Some(end) = &record.end {
        let (progress, helpers) = (end.progress, end.helpers.clone());
        return PlanView { record: record.clone(), state: record.told_state, progress, helpers };
    }
    if let Some(live) = world.plans().get(record.no) {
        return world.plan_view(live, now);
    }
    let color_at = |point| world.newest_placement(point).color;
    let is_on_canvas = world.season.size.rect(record.target.area().corners()).is_some();
    if record.season != world.season.seq || !is_on_canvas {
        let total = record.target.pixels().count();
        let progress = Progress { total, left: total, ..Progress::default() };
        return PlanView { record: record.clone(), state: PlanState::Expired, progress, helpers: Vec::new() };
    }
    let progress = ProgressTracker::new(record.target.clone(), color_at).progress();
    let helpers = count_helpers(record, |point| world.newest_placement(point));
    PlanView { record: record.clone(), state: record.state_with(progress, now), progress, helpers }
}
