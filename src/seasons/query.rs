//! Looking at seasons.

use super::{SeasonRecord, store};
use crate::refusal::Refusal;
use crate::state::AppState;

/// All seasons, newest first.
///
/// # Errors
/// When the database cannot be read.
pub async fn list(state: &AppState) -> Result<Vec<SeasonRecord>, Refusal> {
    Ok(store::list_newest_first(&state.pool, None).await?)
}

/// The season with a number; none where there is no such season.
///
/// # Errors
/// When the database cannot be read.
pub async fn find(state: &AppState, number: i64) -> Result<Option<SeasonRecord>, Refusal> {
    Ok(list(state).await?.into_iter().find(|season| season.number == number))
}
