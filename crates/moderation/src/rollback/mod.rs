//! Rollbacks remove placements between two events from the canvas, and can be undone. Agents can paint
//! meanwhile, and their new placements stay.

mod announcement;
pub mod check;
mod correct;
pub mod reported;
pub mod request;
pub mod simulation;
mod store;
pub mod worker;

use caraplace_log::audit;
use caraplace_log::audit_reason::AuditReason;
use caraplace_log::state::AppState;
use chrono::{DateTime, Utc};
use platform::clock;
use platform::refusal::Refusal;
use rules::grid::Corners;
use rules::numbers::Seq;
use rules::rollback::RollbackFilter;
use serde::Serialize;
use serde_json::{Value, json};
use sqlx::PgConnection;
use utoipa::ToSchema;

pub use announcement::{REASON_CLASSES, ReasonClass};

/// The state of a rollback.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RollbackState {
    /// The log is being read, or the canvas is being corrected.
    Running,
    Done,
    /// The canvas is being restored.
    Undoing,
    Undone,
    /// Another season began before the rollback was complete. The canvas of the old season was left as it
    /// was.
    Overtaken,
}

/// A rollback as operators see it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Rollback {
    /// `rollback_…`.
    pub id: String,
    pub state: RollbackState,
    /// The agent whose placements are rolled back; null for all agents.
    pub agent_id: Option<String>,
    pub agent_name: Option<String>,
    pub region: Corners,
    /// The first event that may be rolled back; `to` is the last one.
    #[schema(value_type = i64)]
    pub from: Seq,
    #[schema(value_type = i64)]
    pub to: Seq,
    pub operator: String,
    pub reason: String,
    pub reason_class: ReasonClass,
    pub started_at: DateTime<Utc>,
    pub undone_at: Option<DateTime<Utc>>,
    /// The number of events read so far, of `events`.
    pub events_read: i64,
    pub events: i64,
    /// The number of pixels corrected so far, of `pixels`.
    pub pixels_done: i64,
    pub pixels: i64,
    /// The number of placements that are rolled back; null until they are counted.
    pub placements: Option<i64>,
}

/// Begins a rollback in the current season. Any instance may do the work, in the background.
pub(crate) async fn begin(
    state: &AppState,
    filter: &RollbackFilter,
    audit_reason: &AuditReason,
    reason_class: ReasonClass,
) -> Result<Rollback, Refusal> {
    let mut transaction = state.pool.begin().await?;
    let id = begin_in_transaction(state, &mut transaction, filter, audit_reason, reason_class).await?;
    let entry = audit_reason.audit_entry("roll_back", &id, struck(false), struck(true));
    audit::record(&mut transaction, &entry, state.clock.offset()).await?;
    state.log.commit(transaction).await?;
    find(state, &id).await?.ok_or(Refusal::Unavailable)
}

/// Begins a rollback in the current season, in a transaction whose audit entry names it. Returns its id.
pub(crate) async fn begin_in_transaction(
    state: &AppState,
    connection: &mut PgConnection,
    filter: &RollbackFilter,
    audit_reason: &AuditReason,
    reason_class: ReasonClass,
) -> Result<String, sqlx::Error> {
    let id = clock::new_id("rollback");
    let season = state.read_world(|world| world.season.seq);
    let now = state.clock.now();
    store::insert(connection, &id, season, filter, audit_reason, reason_class, now).await?;
    Ok(id)
}

/// Begins to undo a rollback. `None` if the current season has no such rollback, or it is already undone.
pub(crate) async fn undo(
    state: &AppState,
    id: &str,
    audit_reason: &AuditReason,
) -> Result<Option<Rollback>, Refusal> {
    let mut transaction = state.pool.begin().await?;
    if !undo_in_transaction(state, &mut transaction, id).await? {
        return Ok(None);
    }
    let entry = audit_reason.audit_entry("undo_roll_back", id, struck(true), struck(false));
    audit::record(&mut transaction, &entry, state.clock.offset()).await?;
    state.log.commit(transaction).await?;
    find(state, id).await
}

/// Begins to undo a rollback, in a transaction whose audit entry names it. Returns false if the current
/// season has no such rollback, or it is already undone.
pub(crate) async fn undo_in_transaction(
    state: &AppState,
    connection: &mut PgConnection,
    id: &str,
) -> Result<bool, sqlx::Error> {
    let season = state.read_world(|world| world.season.seq);
    store::undo(connection, id, season, state.clock.now()).await
}

/// Returns the state of a rollback's placements, for the audit log.
fn struck(is_struck: bool) -> Value {
    json!({"struck": is_struck})
}

/// Returns the rollback with this id. `None` if it does not exist.
pub async fn find(state: &AppState, id: &str) -> Result<Option<Rollback>, Refusal> {
    Ok(store::list(&state.pool, Some(id), 1).await?.pop())
}

/// Returns the newest rollbacks, newest first.
pub async fn list(state: &AppState, limit: i64) -> Result<Vec<Rollback>, Refusal> {
    Ok(store::list(&state.pool, None, limit).await?)
}
