//! The order in which operators go through open cases: that of the list, newest first.

use caraplace_log::state::AppState;
use platform::refusal::Refusal;

use super::case::QueueNeighbours;
use crate::store;

/// Returns the open cases beside a case, which may be closed.
pub async fn find_neighbours(state: &AppState, id: &str) -> Result<QueueNeighbours, Refusal> {
    Ok(store::case_queue::find_neighbours(&state.pool, id).await?.unwrap_or_default())
}
