//! Rolling back: placements between two moments are struck out, and the canvas is corrected to what it would show
//! without them. Undoing lets them stand again. Painting goes on meanwhile, and what is painted meanwhile stands.

mod correct;
pub mod request;
pub mod simulation;
mod store;
pub mod worker;

use chrono::{DateTime, Utc};
use rules::grid::Corners;
use rules::rollback::RollbackFilter;
use serde::Serialize;
use utoipa::ToSchema;

use super::AuditReason;
use crate::clock;
use crate::refusal::Refusal;
use crate::schema::CornersSchema;
use crate::state::AppState;

/// How far it has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RollbackState {
    /// The log is read, then the canvas corrected.
    Running,
    Done,
    /// The canvas is corrected back.
    Undoing,
    Undone,
    /// Another season began before it was through; the old one stays as it was then.
    Overtaken,
}

/// A rollback as operators see it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Rollback {
    /// `rollback_…`.
    pub id: String,
    pub state: RollbackState,
    /// Whose placements; null for anyone's.
    pub agent_id: Option<String>,
    pub agent_name: Option<String>,
    #[schema(value_type = CornersSchema)]
    pub region: Corners,
    /// The first and the last event that may be struck.
    pub from: i64,
    pub to: i64,
    pub operator: String,
    pub why: String,
    pub started_at: DateTime<Utc>,
    pub undone_at: Option<DateTime<Utc>>,
    /// How many of so many events were read…
    pub events_read: i64,
    pub events: i64,
    /// …and how many of so many pixels were corrected.
    pub pixels_done: i64,
    pub pixels: i64,
    /// How many placements it strikes; null until they were counted.
    pub placements: Option<i64>,
}

/// Begins to strike placements of the season that is played; the work is done in the background, by whichever instance
/// finds it.
///
/// # Errors
/// When the database cannot be written.
pub async fn begin(
    state: &AppState,
    filter: &RollbackFilter,
    cause: &AuditReason,
) -> Result<Rollback, Refusal> {
    let (id, season) = (clock::new_id("rollback"), state.read_world(|world| world.season.seq));
    store::insert(state, &id, season, filter, cause).await?;
    find(state, &id).await?.ok_or(Refusal::Unavailable)
}

/// Lets what a rollback has struck stand again; none when there is no such rollback of this season, or it is undone.
///
/// # Errors
/// When the database cannot be written.
pub async fn undo(state: &AppState, id: &str, cause: &AuditReason) -> Result<Option<Rollback>, Refusal> {
    let season = state.read_world(|world| world.season.seq);
    if !store::undo(state, id, season, cause).await? {
        return Ok(None);
    }
    find(state, id).await
}

/// A rollback by its id.
///
/// # Errors
/// When the database cannot be read.
pub async fn find(state: &AppState, id: &str) -> Result<Option<Rollback>, Refusal> {
    Ok(store::list(&state.pool, Some(id), 1).await?.pop())
}

/// The newest rollbacks, newest first.
///
/// # Errors
/// When the database cannot be read.
pub async fn list(state: &AppState, limit: i64) -> Result<Vec<Rollback>, Refusal> {
    Ok(store::list(&state.pool, None, limit).await?)
}
