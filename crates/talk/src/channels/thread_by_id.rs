//! Finds threads by their ids, which follow from their labels, or by the labels as agents send them.

use caraplace_accounts::channels::ChannelTarget;
use caraplace_accounts::filters::Filters;
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use platform::refusal::Refusal;
use rules::ids::ThreadId;

use super::access::{ChannelReader, ReadableChannel, readable_channel};
use super::new_private_message::parse_thread;
use super::store::{self, ThreadRow};

/// Returns the thread of a channel that is named by its id or its label; `None` if the reader sees none.
///
/// # Errors
/// `Overloaded`.
pub(super) async fn find_thread(
    state: &AppState,
    filters: &Filters,
    reader: ChannelReader<'_>,
    channel: &ReadableChannel,
    label_or_id: &str,
) -> Result<Option<ThreadRow>, Refusal> {
    // The database cannot even compare a text with NUL.
    if label_or_id.contains('\0') {
        return Ok(None);
    }
    let thread = find_as_stored(state, reader, channel, label_or_id).await?;
    if thread.is_some() {
        return Ok(thread);
    }
    match posted_label(filters, label_or_id).await? {
        Some(label) => find_by_label(state, reader, channel, &label).await,
        None => Ok(None),
    }
}

/// Returns the thread of a channel with an id; `None` if there is none that the reader sees.
async fn find_by_id(
    state: &AppState,
    reader: ChannelReader<'_>,
    channel: &ReadableChannel,
    id: &ThreadId,
) -> Result<Option<ThreadRow>, Refusal> {
    let labels = store::list_labels(&state.pool, channel.no).await?;
    let label = labels.into_iter().find(|label| ThreadId::from_label(&channel.id, label) == *id);
    match label {
        Some(label) => find_by_label(state, reader, channel, &label).await,
        None => Ok(None),
    }
}

/// Returns the label of the messages of a thread that is named by its id or its label. A text that is no id
/// of a thread which the reader sees is a label; `None` if no message can have it.
///
/// # Errors
/// `Input` if the text contains NUL; `Overloaded`.
pub(super) async fn resolve_label(
    state: &AppState,
    filters: &Filters,
    reader: ChannelReader<'_>,
    channel: &ReadableChannel,
    label_or_id: &str,
) -> Result<Option<String>, Refusal> {
    if label_or_id.contains('\0') {
        return Err(Refusal::invalid("thread", "thread must not contain the character NUL."));
    }
    match find_as_stored(state, reader, channel, label_or_id).await? {
        Some(thread) => Ok(Some(thread.label)),
        None => posted_label(filters, label_or_id).await,
    }
}

/// Returns the label that a message gets which is posted with this one; `None` if it would be refused.
async fn posted_label(filters: &Filters, label: &str) -> Result<Option<String>, Refusal> {
    match parse_thread(filters, label).await {
        Ok(label) => Ok(Some(label)),
        Err(Refusal::Input(_)) => Ok(None),
        Err(refusal) => Err(refusal),
    }
}

/// Returns the thread with this id, else the one with exactly this label; `None` if the reader sees neither.
/// Labels that were posted under other settings of the filters are found, too.
async fn find_as_stored(
    state: &AppState,
    reader: ChannelReader<'_>,
    channel: &ReadableChannel,
    label_or_id: &str,
) -> Result<Option<ThreadRow>, Refusal> {
    if let Some(id) = ThreadId::parse(label_or_id) {
        let thread = find_by_id(state, reader, channel, &id).await?;
        if thread.is_some() {
            return Ok(thread);
        }
    }
    find_by_label(state, reader, channel, label_or_id).await
}

async fn find_by_label(
    state: &AppState,
    reader: ChannelReader<'_>,
    channel: &ReadableChannel,
    label: &str,
) -> Result<Option<ThreadRow>, Refusal> {
    Ok(store::list_threads(&state.pool, channel.no, reader.account_no(), Some(label)).await?.pop())
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
    let thread = find_by_id(state, reader, &channel, id).await?;
    thread.map(|thread| thread.label).ok_or_else(unknown)
}
