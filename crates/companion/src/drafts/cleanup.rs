//! Ends drafts that were not decided in time, and deletes old ones.

use caraplace_accounts::visitor::ConversationOwner;
use caraplace_log::state::AppState;
use chrono::{DateTime, Utc};
use sqlx::PgConnection;

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

/// Deletes the waiting drafts of these questions, except those that an answer names: nobody can learn of the
/// others.
pub(crate) async fn withdraw(
    connection: &mut PgConnection,
    questions: &[i64],
    answered: &[String],
) -> Result<(), sqlx::Error> {
    store::withdraw(connection, questions, answered).await
}

/// Deletes the drafts of a conversation that is deleted. Three kinds stay: drafts that are being carried out,
/// drafts that operators have decided, and drafts that wait for operators.
pub(crate) async fn delete_of(
    connection: &mut PgConnection,
    owner: ConversationOwner,
) -> Result<(), sqlx::Error> {
    store::delete_of(connection, owner).await
}
