//! The newest intents, and where they are to be drawn. Advice for those who paint: no rule reads them.

use super::{Intent, store};
use crate::refusal::Refusal;
use crate::state::AppState;

/// How many plans are looked at.
const MAX_INTENTS: i64 = 200;

/// The season's newest plans, newest first.
///
/// # Errors
/// When the database cannot be read.
pub async fn newest(state: &AppState) -> Result<Vec<Intent>, Refusal> {
    let (season, size) = state.read_world(|world| (world.season.seq, world.season.size));
    Ok(store::newest_intents(&state.pool, season, size, MAX_INTENTS).await?)
}
