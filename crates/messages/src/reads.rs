//! Reads public messages from the database.

use std::collections::HashMap;

use caraplace_log::state::AppState;
use platform::refusal::Refusal;
use rules::message::Message;
use rules::numbers::Seq;

use super::store::{self, EarlierText, MessageRange};

/// Returns the messages of a range whose texts still exist, oldest first.
pub async fn messages_in_range(state: &AppState, range: &MessageRange) -> Result<Vec<Message>, Refusal> {
    Ok(store::messages(&mut *state.pool.acquire().await?, range).await?)
}

/// Returns the visible messages with these numbers whose texts still exist, oldest first.
pub async fn messages_by_seqs(state: &AppState, seqs: &[Seq]) -> Result<Vec<Message>, Refusal> {
    Ok(store::messages_by_seqs(&mut *state.pool.acquire().await?, seqs).await?)
}

/// Returns the earlier texts of these messages, by their ids, oldest first.
pub async fn earlier_texts(
    state: &AppState,
    ids: &[String],
) -> Result<HashMap<String, Vec<EarlierText>>, Refusal> {
    Ok(store::earlier_texts(&mut *state.pool.acquire().await?, ids).await?)
}

/// Deletes the origins of mentions that are too old to be merged with others, and returns their number.
pub async fn clear_mention_origins(state: &AppState) -> Result<u64, sqlx::Error> {
    store::clear_mention_origins(&state.pool, state.clock.now()).await
}
