//! Finds threads by their ids, which follow from their labels.

use caraplace_accounts::channels::ChannelTarget;
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use platform::refusal::Refusal;
use rules::ids::ThreadId;

use super::access::{ChannelReader, ReadableChannel, readable_channel};
use super::store::{self, ThreadRow};

/// Returns the thread of a channel with an id; `None` if there is none that the reader sees.
pub(super) async fn find_thread(
    state: &AppState,
    reader: ChannelReader<'_>,
    channel: &ReadableChannel,
    id: &ThreadId,
) -> Result<Option<ThreadRow>, Refusal> {
    let labels = store::list_labels(&state.pool, channel.no).await?;
    let label = labels.into_iter().find(|label| ThreadId::from_label(&channel.id, label) == *id);
    let Some(label) = label else { return Ok(None) };
    Ok(store::list_threads(&state.pool, channel.no, reader.account_no(), Some(&label)).await?.pop())
}

/// Returns the label of a thread that is named by its label or its id. A text that is no id of a thread which
/// the reader sees is a label.
pub(super) async fn resolve_label(
    state: &AppState,
    reader: ChannelReader<'_>,
    channel: &ReadableChannel,
    label_or_id: &str,
) -> Result<String, Refusal> {
    let named = match ThreadId::parse(label_or_id) {
        Some(id) => find_thread(state, reader, channel, &id).await?,
        None => None,
    };
    Ok(named.map_or_else(|| label_or_id.to_owned(), |row| row.label))
}

/// Returns the label of the thread in which an author posts a message, by the thread's id. The author must be
/// allowed to read the place.
///
/// # Errors
/// `Input` if the author sees no such thread there.
pub(super) async fn find_label(
    state: &AppState,
    author: &Identity,
    target: &ChannelTarget,
    id: &ThreadId,
) -> Result<String, Refusal> {
    let unknown = || {
        let detail = "thread is the id of no thread of this crew. Send the id of one, or a label.";
        Refusal::invalid("thread", detail)
    };
    let ChannelTarget::Crew(crew) = target else { return Err(unknown()) };
    let reader = ChannelReader::Account(author);
    let channel = readable_channel(state, reader, crew).await?.ok_or_else(unknown)?;
    let thread = find_thread(state, reader, &channel, id).await?;
    thread.map(|thread| thread.label).ok_or_else(unknown)
}
