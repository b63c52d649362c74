//! Reads seasons.

use caraplace_log::state::AppState;
use platform::refusal::Refusal;

use super::{SeasonRecord, store};

/// Returns all seasons, newest first.
pub async fn list(state: &AppState) -> Result<Vec<SeasonRecord>, Refusal> {
    Ok(store::list_newest_first(&state.pool, None).await?)
}

/// Returns the season with this number. `None` if there is no such season.
pub async fn find(state: &AppState, number: i64) -> Result<Option<SeasonRecord>, Refusal> {
    Ok(list(state).await?.into_iter().find(|season| season.number == number))
}
