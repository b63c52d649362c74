//! The newest messages of crews, for lists of them.

use std::collections::HashMap;

use caraplace_log::state::AppState;
use chrono::{DateTime, Utc};
use platform::refusal::Refusal;

use super::access::ChannelReader;
use super::store;

/// Returns the times of the newest messages of crews, by the ids of these; none while the chat is switched
/// off. The reader must be able to read the crews.
pub async fn newest_times(
    state: &AppState,
    reader: ChannelReader<'_>,
    crews: &[String],
) -> Result<HashMap<String, DateTime<Utc>>, Refusal> {
    if !state.game().chat_enabled || crews.is_empty() {
        return Ok(HashMap::new());
    }
    Ok(store::newest_times(&state.pool, crews, reader.account_no()).await?)
}
