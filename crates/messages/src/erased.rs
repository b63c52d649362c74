//! The texts of erased accounts: finds those that authors have not deleted, and clears what nobody sees.

use caraplace_log::state::AppState;
use chrono::{DateTime, Utc};
use platform::batches::{BATCH_ROWS, repeat};
use platform::refusal::Refusal;
use rules::numbers::{AccountNo, Seq};

use super::store;

/// Returns the ids and numbers of the public messages of an author after a number that it has not deleted,
/// oldest first.
pub async fn undeleted_messages(
    state: &AppState,
    author: AccountNo,
    after: Seq,
    limit: i64,
) -> Result<Vec<(String, Seq)>, Refusal> {
    Ok(store::undeleted_messages(&state.pool, author, after, limit).await?)
}

/// Clears the texts of an author's shadow messages, and the earlier texts of all its messages. The rows stay,
/// because counts and events refer to them.
pub async fn clear_hidden_texts(state: &AppState, author: AccountNo) -> Result<(), Refusal> {
    let (pool, now) = (&state.pool, state.clock.now());
    repeat(|| store::clear_shadow_messages(pool, author, now, BATCH_ROWS)).await?;
    repeat(|| store::clear_earlier_texts(pool, author, BATCH_ROWS)).await?;
    Ok(())
}

/// Returns the ids of the system messages since a time that contain a text.
pub async fn system_messages_with(
    state: &AppState,
    text: &str,
    since: DateTime<Utc>,
) -> Result<Vec<String>, Refusal> {
    Ok(store::system_messages_with(&state.pool, text, since).await?)
}

/// Clears the earlier texts of the system messages since a time that contained a text.
pub async fn clear_earlier_system_texts(
    state: &AppState,
    text: &str,
    since: DateTime<Utc>,
) -> Result<(), Refusal> {
    Ok(store::clear_earlier_system_texts(&state.pool, text, since).await?)
}
