//! Reads plans as they are stored, shows them with their progress, and ends those of a season.

use std::collections::HashMap;
use std::sync::Arc;

use caraplace_live::event::Event;
use caraplace_log::head_lock::HeadLock;
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use caraplace_log::world::World;
use chrono::{DateTime, Utc};
use platform::refusal::Refusal;
use rules::grid::Point;
use rules::ids::PlanId;
use rules::plan::record::{PlanChange, PlanEnd, PlanRecord, PlanView};
use rules::plan::{PlanState, Progress, ProgressTracker};
use sqlx::PgConnection;

use super::board::{PlanBoard, count_helpers};
use super::compare::{is_of_season, wrong_pixels};
use super::part::MAX_SHADOW_STEPS;
use super::store::{self, WrongPixel};

/// Returns a plan as it is stored, hidden ones included; `None` if there is none.
pub async fn find_stored_plan(state: &AppState, id: &PlanId) -> Result<Option<Arc<PlanRecord>>, Refusal> {
    find_plan_on(&mut *state.pool.acquire().await?, id).await
}

/// Applies everything that was committed before this call, on any instance, and returns a plan as it is
/// stored then; `None` if there is none. The connection may be in a transaction; no other one is used,
/// because callers that hold one and wait for another could block each other.
pub(super) async fn find_newest_plan(
    state: &AppState,
    connection: &mut PgConnection,
    id: &PlanId,
) -> Result<Option<Arc<PlanRecord>>, Refusal> {
    state.log.catch_up_on(connection).await?;
    find_plan_on(connection, id).await
}

/// Returns those of these plans that exist, hidden ones included, by their ids.
pub async fn find_stored_plans(
    state: &AppState,
    ids: &[String],
) -> Result<HashMap<String, Arc<PlanRecord>>, Refusal> {
    Ok(store::plans_by_ids(&mut *state.pool.acquire().await?, ids).await?)
}

/// Returns stored plans with their progress as of now, in their order. The world is locked for each one
/// alone, because placements wait for the lock.
pub async fn plan_views(
    state: &AppState,
    records: &[Arc<PlanRecord>],
    now: DateTime<Utc>,
) -> Result<Vec<PlanView>, Refusal> {
    let mut views = Vec::with_capacity(records.len());
    for record in records {
        let (mut view, wrong) = state.read_world(|world| compare_plan(world, record, now));
        if !wrong.is_empty() {
            let mut connection = state.pool.acquire().await?;
            let damaged =
                store::damaged_points(&mut connection, record.target_seq, &wrong, MAX_SHADOW_STEPS).await?;
            view.progress.damaged = damaged.len();
        }
        views.push(view);
    }
    Ok(views)
}

/// Returns the pixels of a plan of this season that were right since its picture was set and are wrong now;
/// none if it has ended.
pub async fn damaged_points(state: &AppState, record: &PlanRecord) -> Result<Vec<Point>, Refusal> {
    let wrong = {
        let world = state.world.read();
        if let Some(plan) = PlanBoard::of(&world).get(record.no).filter(|_| record.audience.is_everyone()) {
            return Ok(plan.tracker.damaged().collect());
        }
        if record.is_live() { wrong_pixels(&world.canvas, record) } else { Vec::new() }
    };
    let mut connection = state.pool.acquire().await?;
    Ok(store::damaged_points(&mut connection, record.target_seq, &wrong, MAX_SHADOW_STEPS).await?)
}

/// Returns the live plans of this season that are not public, or of which the account sees another version
/// than the public. They are the account's own plans and those of its crews, each as the account sees it.
pub async fn live_unlisted_plans(
    state: &AppState,
    account: &Identity,
) -> Result<Vec<Arc<PlanRecord>>, Refusal> {
    let mut connection = state.pool.acquire().await?;
    let season = state.read_world(|world| world.season.seq);
    let shadowed = account.rights.shadowed;
    Ok(store::live_unlisted_plans(&mut connection, season, account.no, shadowed).await?)
}

/// Ends all plans of the current season, which is about to end. The head must be locked.
///
/// # Errors
/// `Unavailable` if the database fails.
pub(crate) async fn end_plans(
    state: &AppState,
    connection: &mut PgConnection,
    head_lock: &mut HeadLock,
) -> Result<(), Refusal> {
    // With the head locked nothing new is written, so the progress in memory is exact after this.
    state.log.catch_up_on(connection).await?;
    let season = state.read_world(|world| world.season.seq);
    let records = store::unended_plans(connection, season).await?;
    let mut ended = Vec::with_capacity(records.len());
    for record in records {
        let (mut view, wrong) = state.read_world(|world| compare_plan(world, &record, head_lock.now));
        let damaged = store::damaged_points(connection, record.target_seq, &wrong, MAX_SHADOW_STEPS).await?;
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
    Ok(write_ended_plans(connection, head_lock, ended).await?)
}

/// Writes plans that have ended, with events of those that everyone can see.
async fn write_ended_plans(
    connection: &mut PgConnection,
    head_lock: &mut HeadLock,
    ended: Vec<PlanRecord>,
) -> Result<(), sqlx::Error> {
    store::end_plans(connection, &ended).await?;
    let public = ended.into_iter().filter(|record| record.is_visible_to(None));
    let changes: Vec<PlanChange> = public
        .map(|record| PlanChange {
            seq: head_lock.take_seq(),
            plan_id: record.id.clone(),
            state: record.told_state,
            version: record.version,
            record: record.into(),
        })
        .collect();
    let events: Vec<Event> = changes.iter().cloned().map(Event::Plan).collect();
    head_lock.append_events(connection, &events).await?;
    store::insert_plan_events(connection, &changes).await
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
    let canvas = &world.canvas;
    // The author of a public plan may see another picture than everyone else.
    if let Some(live) = PlanBoard::of(world).get(record.no).filter(|_| record.audience.is_everyone()) {
        return (live.view(canvas, now), Vec::new());
    }
    if !is_of_season(canvas, record) {
        let total = record.target.pixels().count();
        let progress = Progress { total, left: total, ..Progress::default() };
        let state = PlanState::Expired;
        return (PlanView { record: record.clone(), state, progress, helpers: Vec::new() }, Vec::new());
    }
    let progress = ProgressTracker::new(record.target.clone(), |point| canvas.color(point)).progress();
    let helpers = count_helpers(record, |point| canvas.newest_placement(point));
    let state = record.state_with(progress, now);
    (PlanView { record: record.clone(), state, progress, helpers }, wrong_pixels(canvas, record))
}
