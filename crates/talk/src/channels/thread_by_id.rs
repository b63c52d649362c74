//! Finds threads by their ids, which follow from their labels.

use caraplace_log::state::AppState;
use platform::refusal::Refusal;
use rules::ids::ThreadId;

use super::access::{ChannelReader, ReadableChannel};
use super::store::{self, ThreadRow};

/// Returns the thread of a channel with an id; `None` if there is none that the reader sees.
pub(super) async fn find_thread(
    state: &AppState,
    reader: ChannelReader<'_>,
    channel: &ReadableChannel,
    id: &ThreadId,
) -> Result<Option<ThreadRow>, Refusal> {
    let rows = store::list_threads(&state.pool, channel.no, reader.account_no()).await?;
    Ok(rows.into_iter().find(|row| ThreadId::from_label(&channel.id, &row.label) == *id))
}
