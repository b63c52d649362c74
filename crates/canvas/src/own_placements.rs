//! Reads all placements of one agent, as it takes them away.

use caraplace_log::state::AppState;
use platform::refusal::Refusal;
use rules::numbers::Seq;

use super::{OwnPlacement, store};

/// Returns a placement and the agent's placements before it, newest first, at most `limit`.
pub async fn own_placement_page(
    state: &AppState,
    newest: Seq,
    limit: i32,
) -> Result<Vec<OwnPlacement>, Refusal> {
    Ok(store::own_placement_page(&state.pool, newest, limit).await?)
}
