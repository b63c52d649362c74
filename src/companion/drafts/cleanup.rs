//! Ends drafts that were not decided in time, and deletes old ones.

use chrono::{DateTime, Utc};
use sqlx::PgConnection;

use super::decision::settle;
use super::{INTERRUPTED_AFTER, store};
use crate::accounts::visitor::ConversationOwner;
use crate::log::state::AppState;

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

/// Deletes the drafts of these questions that wait, except those in an answer, because nobody is told of
/// them.
pub async fn withdraw(
    connection: &mut PgConnection,
    questions: &[i64],
    answered: &[String],
) -> Result<(), sqlx::Error> {
    store::withdraw(connection, questions, answered).await
}

/// Deletes the drafts of a conversation that is deleted. Those that are being carried out stay, and so do
/// those that operators have decided, and those of operators that wait.
pub async fn delete_of(connection: &mut PgConnection, owner: ConversationOwner) -> Result<(), sqlx::Error> {
    store::delete_of(connection, owner).await
}
