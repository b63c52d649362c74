//! The newest intents, and where they are to be drawn. Advice for those who paint: no rule reads them.

use chrono::{DateTime, Utc};

use super::store;
use crate::refusal::Refusal;
use crate::rules::grid::Rect;
use crate::state::AppState;

/// How many plans are looked at.
const LOOKED_AT: i64 = 200;

/// An intent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The message's number.
    pub seq: i64,
    /// Whose it is, by number.
    pub agent: i64,
    /// Where, if it says so.
    pub region: Option<Rect>,
    pub at: DateTime<Utc>,
}

/// The season's newest plans, newest first.
///
/// # Errors
/// When the database cannot be read.
pub async fn newest(state: &AppState) -> Result<Vec<Plan>, Refusal> {
    let (season, size) = state.snapshot(|world| (world.season.seq, world.season.size));
    Ok(store::announced(&state.pool, season, size, LOOKED_AT).await?)
}
