//! The newest intents, and where they are to be drawn. Advice for those who paint: no rule reads them.

use super::{Plan, store};
use crate::refusal::Refusal;
use crate::state::AppState;

/// How many plans are looked at.
const LOOKED_AT: i64 = 200;

/// The season's newest plans, newest first.
///
/// # Errors
/// When the database cannot be read.
pub async fn newest(state: &AppState) -> Result<Vec<Plan>, Refusal> {
    let (season, size) = state.snapshot(|world| (world.season.seq, world.season.size));
    Ok(store::announced(&state.pool, season, size, LOOKED_AT).await?)
}
