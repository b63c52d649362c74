//! Ends drafts that were not decided in time, and deletes old ones.

use caraplace_log::state::AppState;
use chrono::{DateTime, Utc};

use super::decision::settle;
use super::{INTERRUPTED_AFTER, store};

/// Gives interrupted approvals their outcome if the change was made, and marks drafts as expired that were
/// not decided in time.
pub async fn sweep(state: &AppState) -> Result<(), sqlx::Error> {
    let now = state.clock.now();
    settle(state, None, now - INTERRUPTED_AFTER).await?;
    store::expire(&state.pool, now).await.map(|_| ())
}

/// Deletes drafts that were proposed before a time, at most `limit`. Returns their number.
pub async fn delete_old(state: &AppState, before: DateTime<Utc>, limit: i64) -> Result<u64, sqlx::Error> {
    store::delete_old(&state.pool, before, limit).await
}
