//! The threads of a crew's channel: messages with the same label. A thread exists for a reader as long as it
//! sees a message with the label that is neither hidden nor deleted.

use std::collections::HashMap;

use caraplace_accounts::filters::Filters;
use caraplace_log::state::AppState;
use chrono::{DateTime, Utc};
use platform::refusal::{CrewRefusal, InputError, InputErrorKind, Refusal};
use rules::ids::{MessageId, ThreadId};
use rules::numbers::MessageNo;
use serde::Serialize;
use utoipa::ToSchema;

use super::PrivateMessage;
use super::access::{ChannelReader, ReadableChannel};
use super::read::{PrivatePage, find_cursor, messages_for, page_of_label};
use super::store::{self, ThreadRow};
use super::thread_by_id::find_thread;

/// The number of threads in a page by default.
pub const DEFAULT_LIMIT: usize = 20;
/// The maximum number of threads in a page.
pub const MAX_LIMIT: usize = 100;
/// The maximum length of a title, in characters.
const MAX_TITLE_CHARS: usize = 64;

/// A thread of a crew's channel.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct CrewThread {
    /// `thread_…`.
    pub id: String,
    /// The label of its messages.
    pub thread: String,
    /// The label. If that is the id of a message of the crew, the beginning of the message's text.
    pub title: String,
    /// Number of messages with the label.
    pub messages: i64,
    /// The time of the oldest of them.
    pub created_at: DateTime<Utc>,
    /// The newest of them.
    pub last_message: PrivateMessage,
}

/// A page of threads.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct CrewThreadPage {
    /// The one with the newest message first.
    pub threads: Vec<CrewThread>,
    /// The `before` of the next page; null if there are no more.
    pub next_before: Option<String>,
}

/// A thread with a page of its messages.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ThreadMessages {
    pub thread: CrewThread,
    /// Oldest first. If the label is the id of a message, that one stands among them.
    pub messages: Vec<PrivateMessage>,
    /// The `before` of the next older page; null if there are no older messages.
    pub next_before: Option<String>,
}

/// Returns a page of the threads of a crew's channel. This delivers nothing.
///
/// # Errors
/// `Input` if the reader sees no thread with the id in `before`.
pub async fn list(
    state: &AppState,
    reader: ChannelReader<'_>,
    channel: &ReadableChannel,
    limit: usize,
    before: Option<&str>,
) -> Result<CrewThreadPage, Refusal> {
    let rows = store::list_threads(&state.pool, channel.no, reader.account_no(), None).await?;
    let id_of = |row: &ThreadRow| ThreadId::from_label(&channel.id, &row.label);
    let start = match before {
        Some(before) => {
            let position = rows.iter().position(|row| id_of(row).as_str() == before);
            position.ok_or_else(bad_cursor)? + 1
        }
        None => 0,
    };
    let has_more = rows.len() > start + limit;
    let rows: Vec<ThreadRow> = rows.into_iter().skip(start).take(limit).collect();
    let next_before = rows.last().filter(|_| has_more).map(|row| id_of(row).into());
    Ok(CrewThreadPage { threads: describe(state, reader, channel, rows).await?, next_before })
}

/// Returns a thread of a crew's channel with a page of its messages, which count as delivered to the reader.
///
/// # Errors
/// `Crew` if the reader sees no thread with this id or label, or `Input` if there is no message with the id
/// in `before`; `Overloaded`.
pub async fn find(
    state: &AppState,
    filters: &Filters,
    reader: ChannelReader<'_>,
    channel: &ReadableChannel,
    label_or_id: &str,
    limit: usize,
    before: Option<MessageId>,
) -> Result<ThreadMessages, Refusal> {
    let row = find_thread(state, filters, reader, channel, label_or_id).await?;
    let row = row.ok_or(CrewRefusal::ThreadNotFound)?;
    let label = row.label.clone();
    let thread = describe(state, reader, channel, vec![row]).await?.pop();
    let thread = thread.ok_or(CrewRefusal::ThreadNotFound)?;
    let before = find_cursor(state, reader, channel, before.as_ref()).await?;
    let page = page_of_label(state, reader, channel, Some(&label), limit, before).await?;
    let PrivatePage { messages, next_before } = page;
    Ok(ThreadMessages { thread, messages, next_before })
}

/// Returns threads with their titles and newest messages. Those whose newest message was hidden or deleted
/// just now are left out.
async fn describe(
    state: &AppState,
    reader: ChannelReader<'_>,
    channel: &ReadableChannel,
    rows: Vec<ThreadRow>,
) -> Result<Vec<CrewThread>, Refusal> {
    let newest: Vec<MessageNo> = rows.iter().map(|row| row.newest).collect();
    let roots: Vec<MessageNo> = rows.iter().filter_map(|row| row.root).collect();
    let roots = messages_for(state, reader, &roots).await?;
    let mut newest: HashMap<String, PrivateMessage> = messages_for(state, reader, &newest)
        .await?
        .into_iter()
        .filter_map(|message| Some((message.thread_id.clone()?, message)))
        .collect();
    let threads = rows.into_iter().filter_map(|row| {
        let id: String = ThreadId::from_label(&channel.id, &row.label).into();
        let root = roots.iter().find(|root| root.id == row.label);
        Some(CrewThread {
            last_message: newest.remove(&id)?,
            id,
            title: title(&row.label, root),
            thread: row.label,
            messages: row.count,
            created_at: row.created_at,
        })
    });
    Ok(threads.collect())
}

/// Returns the title of the thread with a label. `root` is the message whose id is the label.
fn title(label: &str, root: Option<&PrivateMessage>) -> String {
    let text = root.and_then(|root| root.content.as_deref()).unwrap_or(label);
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= MAX_TITLE_CHARS {
        return line;
    }
    let beginning: String = line.chars().take(MAX_TITLE_CHARS - 1).collect();
    format!("{beginning}…")
}

fn bad_cursor() -> Refusal {
    let detail = "before is not a thread of this crew. Send a value of an earlier response.";
    InputError::for_field(InputErrorKind::BadCursor, "before", detail).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_one_line_of_limited_length() {
        assert_eq!(title("roof & walls ☂", None), "roof & walls ☂");
        let longest = "é".repeat(MAX_TITLE_CHARS);
        assert_eq!(title(&longest, None), longest);
        assert_eq!(title(&format!("{longest}é"), None), format!("{}…", "é".repeat(MAX_TITLE_CHARS - 1)));
        assert_eq!(title("roof\n  and\twalls", None), "roof and walls");
    }
}
