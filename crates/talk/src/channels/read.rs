//! Reads the messages of a channel, page by page or the unread ones.

use std::collections::HashMap;

use caraplace_accounts::filters::Filters;
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use platform::refusal::{CrewRefusal, Refusal};
use rules::ids::MessageId;
use rules::numbers::MessageNo;
use serde::Serialize;
use utoipa::ToSchema;

use super::access::{ChannelReader, ReadableChannel};
use super::read_pointer::{ReadPointer, START_POINTER};
use super::store::{self, PageSelection, StoredMessage};
use super::thread_by_id::resolve_label;
use super::{PrivateMessage, Receipt, bad_cursor, bad_pointer, read_marks};

/// The number of messages in a page by default.
pub const DEFAULT_LIMIT: usize = 50;
/// The maximum number of messages in a page.
pub const MAX_LIMIT: usize = 100;

/// A page of messages.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PrivatePage {
    /// Oldest first.
    pub messages: Vec<PrivateMessage>,
    /// The `before` of the next older page; null if there are no older messages.
    pub next_before: Option<String>,
}

/// The unread messages of a channel, oldest first.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct NewPrivateMessages {
    pub messages: Vec<PrivateMessage>,
    /// An opaque mark after these messages. When you have handled them, send it as `ack` with the next
    /// request.
    pub new_pointer: String,
    /// Number of unread messages after these, at most 100.
    pub unread: i64,
}

/// The selection of a page.
#[derive(Clone, Debug)]
pub struct PageQuery {
    pub limit: usize,
    /// Only messages older than this one.
    pub before: Option<MessageId>,
    /// Only the messages of the thread with this id, or with this label as messages are posted with it, and
    /// the message whose id is the label.
    pub thread: Option<String>,
}

/// Returns a page of a channel. The messages count as delivered to the reader.
///
/// # Errors
/// `Input` if there is no message with the id in `before`, or if `thread` contains NUL; `Overloaded`.
pub async fn page(
    state: &AppState,
    filters: &Filters,
    reader: ChannelReader<'_>,
    channel: &ReadableChannel,
    query: &PageQuery,
) -> Result<PrivatePage, Refusal> {
    let before = find_cursor(state, reader, channel, query.before.as_ref()).await?;
    let Some(thread) = &query.thread else {
        return page_of_label(state, reader, channel, None, query.limit, before).await;
    };
    match resolve_label(state, filters, reader, channel, thread).await? {
        Some(label) => page_of_label(state, reader, channel, Some(&label), query.limit, before).await,
        None => Ok(PrivatePage { messages: Vec::new(), next_before: None }),
    }
}

/// Returns the number of the message with the id of a cursor; the maximum without one.
///
/// # Errors
/// `Input` if the reader sees no such message in the channel.
pub(super) async fn find_cursor(
    state: &AppState,
    reader: ChannelReader<'_>,
    channel: &ReadableChannel,
    before: Option<&MessageId>,
) -> Result<MessageNo, Refusal> {
    let Some(id) = before else { return Ok(MessageNo::MAX) };
    let no = store::find_message_no(&state.pool, channel.no, id.as_str(), reader.account_no()).await?;
    no.ok_or_else(|| bad_cursor("before"))
}

/// Returns the newest messages of a channel before a number; with a label only those of its thread. They
/// count as delivered to the reader.
pub(super) async fn page_of_label(
    state: &AppState,
    reader: ChannelReader<'_>,
    channel: &ReadableChannel,
    label: Option<&str>,
    max: usize,
    before: MessageNo,
) -> Result<PrivatePage, Refusal> {
    let limit = max as i64 + 1;
    let reader_no = reader.account_no();
    let selection = PageSelection { channel: channel.no, reader: reader_no, before, thread: label, limit };
    let mut nos = store::select_page(&state.pool, &selection).await?;
    let has_older = nos.len() > max;
    nos.truncate(max);
    nos.reverse();
    let messages = serve(state, reader, channel, &nos).await?;
    let next_before = messages.first().filter(|_| has_older).map(|message| message.id.clone());
    Ok(PrivatePage { messages, next_before })
}

/// Returns the oldest unread messages of a channel, after marking everything up to the pointer `ack` as read.
///
/// # Errors
/// `Crew` if the account is no member, or `Input` if the pointer is not one of this channel.
pub async fn unread(
    state: &AppState,
    account: &Identity,
    channel: &ReadableChannel,
    limit: usize,
    ack: Option<&str>,
) -> Result<NewPrivateMessages, Refusal> {
    if !channel.is_member {
        return Err(CrewRefusal::NotMember.into());
    }
    if let Some(pointer) = ack.filter(|pointer| *pointer != START_POINTER) {
        let pointer = ReadPointer::parse(pointer).ok_or_else(bad_pointer)?;
        let no = pointer.find_no(state, account, channel).await?;
        read_marks::mark_up_to(state, account, channel, no).await?;
    }
    let nos = store::select_unread(&state.pool, channel.no, account.no, limit as i64).await?;
    let messages = serve(state, ChannelReader::Account(account), channel, &nos).await?;
    let total = store::count_unread(&state.pool, channel.no, account.no).await?;
    // Without messages the pointer stays where it is: the newest message may have been posted since they were
    // selected.
    let stays = || ack.unwrap_or(START_POINTER).to_owned();
    let new_pointer = messages.last().map_or_else(stays, ReadPointer::after);
    let unread = (total - messages.len() as i64).max(0);
    Ok(NewPrivateMessages { messages, new_pointer, unread })
}

/// A single message of a crew or of a conversation.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SinglePrivateMessage {
    pub message: PrivateMessage,
}

/// Returns a message by its id; `None` if the reader can see none with it.
pub async fn find_message(
    state: &AppState,
    reader: ChannelReader<'_>,
    id: &MessageId,
) -> Result<Option<PrivateMessage>, Refusal> {
    let found = store::channel_of_message(&state.pool, id.as_str(), reader.account_no()).await?;
    let Some((no, channel_id)) = found else { return Ok(None) };
    match super::access::readable_channel(state, reader, &channel_id).await? {
        Some(channel) => Ok(serve(state, reader, &channel, &[no]).await?.pop()),
        // An author that has left the crew still finds what it wrote, and can delete it.
        None => match find_own_no(state, reader, id).await? {
            Some(no) => Ok(messages_for(state, reader, &[no]).await?.pop()),
            None => Ok(None),
        },
    }
}

/// Returns the number of a message that the reader has written itself.
async fn find_own_no(
    state: &AppState,
    reader: ChannelReader<'_>,
    id: &MessageId,
) -> Result<Option<MessageNo>, Refusal> {
    match reader.account_no() {
        Some(author) => Ok(store::find_own_message_no(&state.pool, id.as_str(), author).await?),
        None => Ok(None),
    }
}

/// Returns a message that is sent to an account's webhook; `None` if the account cannot read it, is neither a
/// member nor asked by it, or the text was hidden or deleted. It does not count as delivered, because the
/// receiver may not accept it.
pub async fn find_message_for_webhook(
    state: &AppState,
    account: &Identity,
    id: &str,
) -> Result<Option<PrivateMessage>, Refusal> {
    let reader = ChannelReader::Account(account);
    let found = store::channel_of_message(&state.pool, id, reader.account_no()).await?;
    let Some((no, channel_id)) = found else { return Ok(None) };
    let Some(channel) = super::access::readable_channel(state, reader, &channel_id).await? else {
        return Ok(None);
    };
    let message = messages_for(state, reader, &[no]).await?.pop();
    let is_asked = |message: &PrivateMessage| message.ask.as_ref().is_some_and(|ask| ask.to == account.id);
    Ok(message.filter(|message| !message.redacted && (channel.is_member || is_asked(message))))
}

/// Reads messages of a channel for a reader, and records that a member or an account that is asked has
/// received them.
async fn serve(
    state: &AppState,
    reader: ChannelReader<'_>,
    channel: &ReadableChannel,
    nos: &[MessageNo],
) -> Result<Vec<PrivateMessage>, Refusal> {
    let messages = messages_for(state, reader, nos).await?;
    if let ChannelReader::Account(account) = reader {
        let is_asked =
            |message: &PrivateMessage| message.ask.as_ref().is_some_and(|ask| ask.to == account.id);
        let received = messages.iter().filter(|message| channel.is_member || is_asked(message));
        let ids: Vec<String> = received.map(|message| message.id.clone()).collect();
        read_marks::record_delivery(state, account, &ids).await?;
    }
    Ok(messages)
}

/// Returns messages with the receipts of the reader's own ones, in the order of these numbers. The texts are
/// those that the reader would see, whether it may see the messages or not.
pub async fn messages_for(
    state: &AppState,
    reader: ChannelReader<'_>,
    nos: &[MessageNo],
) -> Result<Vec<PrivateMessage>, Refusal> {
    let stored = store::messages_by_no(&state.pool, nos, reader.account_no(), state.clock.now()).await?;
    let is_own = |message: &StoredMessage| Some(message.author) == reader.account_no();
    let own: Vec<MessageNo> =
        stored.iter().filter(|message| is_own(message)).map(|message| message.no).collect();
    let mut receipts = store::receipts(&state.pool, &own).await?;
    Ok(stored
        .into_iter()
        .map(|message| if is_own(&message) { with_receipts(message, &mut receipts) } else { message.message })
        .collect())
}

fn with_receipts(stored: StoredMessage, receipts: &mut HashMap<MessageNo, Vec<Receipt>>) -> PrivateMessage {
    let mut receipts = receipts.remove(&stored.no).unwrap_or_default();
    if let (Some(ask), Some(answered_at)) = (&stored.message.ask, stored.answered_at) {
        match receipts.iter_mut().find(|receipt| receipt.agent_id == ask.to) {
            Some(receipt) => receipt.answered_at = Some(answered_at),
            None => receipts.push(Receipt {
                agent_id: ask.to.clone(),
                delivered_at: None,
                read_at: None,
                answered_at: Some(answered_at),
            }),
        }
    }
    PrivateMessage { receipts: Some(receipts), ..stored.message }
}
