//! Looking at seasons.

use super::{Recorded, store};
use crate::refusal::Refusal;
use crate::state::AppState;

/// All seasons, newest first.
///
/// # Errors
/// When the database cannot be read.
pub async fn all(state: &AppState) -> Result<Vec<Recorded>, Refusal> {
    Ok(store::newest_first(&state.pool, None).await?)
}

/// The season with a number; none where there is no such season.
///
/// # Errors
/// When the database cannot be read.
pub async fn numbered(state: &AppState, number: i64) -> Result<Option<Recorded>, Refusal> {
    Ok(all(state).await?.into_iter().find(|season| season.number == number))
}
