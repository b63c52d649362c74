//! Ends turns whose instances have died.

use caraplace_log::state::AppState;

use super::store::{lock_turns, turn_end, uses};
use super::turn::LEASE;
use crate::drafts;

/// Marks turns of dead instances as failed, and withdraws what they have proposed. Their cost is unknown, so
/// the reserved amounts count.
pub async fn sweep(state: &AppState) -> Result<(), sqlx::Error> {
    let now = state.clock.now();
    // An instance that has lost the database tries to store its outcome until its claim ends.
    let before = now - LEASE;
    if !turn_end::has_dead(&state.pool, before).await? {
        return Ok(());
    }
    let mut transaction = state.pool.begin().await?;
    let day = now.date_naive();
    lock_turns(&mut transaction, day).await?;
    let dead = turn_end::fail_dead(&mut transaction, before).await?;
    let questions: Vec<i64> = dead.iter().map(|turn| turn.no).collect();
    drafts::withdraw(&mut transaction, &questions, &[]).await?;
    for turn in &dead {
        uses::add_lost(&mut transaction, day, turn.payer.as_deref(), turn.reserved_micros).await?;
    }
    transaction.commit().await
}
