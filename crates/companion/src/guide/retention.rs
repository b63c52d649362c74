//! Deletes conversations that are older than the settings allow, and the counts of past days.

use caraplace_log::state::AppState;
use chrono::{DateTime, TimeDelta, Utc};
use platform::batches::{BATCH_ROWS, repeat};

use super::store::retention;

/// The time for which counts are kept.
const USE_LIFETIME: TimeDelta = TimeDelta::days(40);

/// Deletes questions that were asked before a time, with their answers, and old counts. Returns the number of
/// questions.
///
/// # Errors
/// The error of the database. What was deleted before it stays deleted.
pub async fn delete_before(state: &AppState, before: DateTime<Utc>) -> Result<u64, sqlx::Error> {
    let pool = &state.pool;
    let questions = repeat(|| retention::delete_messages(pool, before, BATCH_ROWS)).await?;
    repeat(|| retention::delete_conversations(pool, before, BATCH_ROWS)).await?;
    let day = (state.clock.now() - USE_LIFETIME).date_naive();
    repeat(|| retention::delete_uses(pool, day, BATCH_ROWS)).await?;
    Ok(questions)
}
