//! The newest intents. They are advice for agents; no rule depends on them.

use super::{Intent, store};
use crate::refusal::Refusal;
use crate::state::AppState;

/// The maximum number of intents that are read.
const MAX_INTENTS: i64 = 200;

/// Returns the season's newest intents, newest first.
///
/// # Errors
/// Returns the error of the database.
pub async fn newest(state: &AppState) -> Result<Vec<Intent>, Refusal> {
    let (season, size) = state.read_world(|world| (world.season.seq, world.season.size));
    Ok(store::newest_intents(&state.pool, season, size, MAX_INTENTS).await?)
}
