//! The things that wait for an account: unread private messages, and questions.

use std::collections::HashMap;
use std::sync::Arc;

use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use chrono::TimeDelta;
use platform::refusal::Refusal;
use rules::numbers::MessageNo;

use super::access::ChannelReader;
use super::read::messages_for;
use super::{PrivateMessage, WaitingAsk, store};

/// The time for which the outcome of a question is reported to the account that has asked.
pub const OUTCOME_LIFETIME: TimeDelta = TimeDelta::days(7);
/// The maximum number of threads of one channel that are listed.
const MAX_THREADS: usize = 10;

/// A channel with unread messages.
#[derive(Clone, Debug)]
pub struct UnreadChannel {
    /// `crew_…` or `dm_…`.
    pub id: Arc<str>,
    /// The name of the crew; `None` for a conversation.
    pub crew_name: Option<Arc<str>>,
    /// The number of unread messages, at most 100.
    pub count: i64,
    /// The newest of them.
    pub newest: PrivateMessage,
    /// The number of the newest, which ascends in the order of commits.
    pub newest_no: MessageNo,
    /// The threads of the counted messages, the one with the newest first; at most ten.
    pub threads: Vec<UnreadThread>,
    /// The number of all these threads.
    pub thread_count: i64,
    /// True if the author of an unread message has marked it as important.
    pub is_important: bool,
    /// The unread messages that mention the account; `None` if there are none.
    pub mention: Option<UnreadMention>,
}

/// The unread messages of a channel that mention an account and do not ask it.
#[derive(Clone, Debug)]
pub struct UnreadMention {
    /// The newest of them.
    pub newest: PrivateMessage,
    /// Their number.
    pub count: i64,
}

/// A thread of a crew with unread messages.
#[derive(Clone, Debug)]
pub struct UnreadThread {
    /// The label.
    pub thread: String,
    /// The number of unread messages.
    pub count: i64,
    /// The newest of them.
    pub newest: PrivateMessage,
}

/// The private things that an account has not read, or that wait for it.
#[derive(Clone, Debug, Default)]
pub struct UnreadPrivateMessages {
    /// The channels with unread messages, the one with the newest first; at most 100.
    pub channels: Vec<UnreadChannel>,
    /// The messages whose questions wait for the account, the most important first; at most 50.
    pub waiting: Vec<PrivateMessage>,
}

/// The numbers of unread private messages, and the questions that wait.
#[derive(Clone, Debug, Default)]
pub struct PrivateCounts {
    /// The channels with unread messages.
    pub channels: i64,
    /// Unread direct messages.
    pub direct: i64,
    /// Unread messages of crews.
    pub crews: i64,
    /// The channels with unread messages that mention the account.
    pub mentions: i64,
    /// The questions that wait for the account, the most important first; at most 50.
    pub waiting: Vec<WaitingAsk>,
}

/// Returns what is new for an account; nothing while the chat is switched off. This delivers nothing.
pub async fn find_news(state: &AppState, account: &Identity) -> Result<UnreadPrivateMessages, Refusal> {
    if !state.game().chat_enabled {
        return Ok(UnreadPrivateMessages::default());
    }
    let now = state.clock.now();
    let rows = store::unread_channels(&state.pool, account.no, None).await?;
    let threaded: Vec<MessageNo> = rows.iter().flat_map(|row| row.threaded.iter().copied()).collect();
    let threads = store::group_by_thread(&state.pool, &threaded).await?;
    let asks = store::waiting_asks(&state.pool, account.no, now).await?;
    let newest_of_channels = rows.iter().map(|row| row.newest);
    let newest_of_threads = threads.iter().map(|thread| thread.newest);
    let newest_mentions = rows.iter().filter_map(|row| row.newest_mention);
    let newest = newest_of_channels.chain(newest_of_threads).chain(newest_mentions);
    let nos: Vec<MessageNo> = newest.chain(asks.iter().map(|ask| ask.no)).collect();
    let stored = store::messages_by_no(&state.pool, &nos, Some(account.no), now).await?;
    let messages: HashMap<MessageNo, PrivateMessage> =
        stored.into_iter().map(|stored| (stored.no, stored.message)).collect();
    let channels = rows.into_iter().filter_map(|row| unread_channel(row, &threads, &messages)).collect();
    let waiting = asks.iter().filter_map(|ask| messages.get(&ask.no).cloned()).collect();
    Ok(UnreadPrivateMessages { channels, waiting })
}

/// Returns a channel with its threads; `None` if its newest message was deleted just now.
fn unread_channel(
    row: store::ChannelUnread,
    threads: &[store::ThreadUnread],
    messages: &HashMap<MessageNo, PrivateMessage>,
) -> Option<UnreadChannel> {
    let readable = |no: MessageNo| messages.get(&no).filter(|message| !message.redacted).cloned();
    let own = || threads.iter().filter(|thread| thread.channel == row.no);
    let unread_thread = |thread: &store::ThreadUnread| {
        let store::ThreadUnread { thread, count, newest, .. } = thread;
        Some(UnreadThread { thread: thread.clone(), count: *count, newest: readable(*newest)? })
    };
    let newest_mention = row.newest_mention.and_then(readable);
    Some(UnreadChannel {
        newest: readable(row.newest)?,
        newest_no: row.newest,
        threads: own().filter_map(unread_thread).take(MAX_THREADS).collect(),
        thread_count: own().count() as i64,
        id: row.id,
        crew_name: row.crew_name,
        count: row.count,
        is_important: row.is_important,
        mention: newest_mention.map(|newest| UnreadMention { newest, count: row.mention_count }),
    })
}

/// Returns messages that an account has written, with their receipts, by their numbers.
pub async fn find_own_messages(
    state: &AppState,
    account: &Identity,
    nos: &[MessageNo],
) -> Result<Vec<PrivateMessage>, Refusal> {
    messages_for(state, ChannelReader::Account(account), nos).await
}

/// Returns the counts for an account; none while the chat is switched off.
pub async fn count(state: &AppState, account: &Identity) -> Result<PrivateCounts, Refusal> {
    if !state.game().chat_enabled {
        return Ok(PrivateCounts::default());
    }
    let rows = store::unread_channels(&state.pool, account.no, None).await?;
    let sum = |is_crew: bool| {
        let counted = rows.iter().filter(|row| row.crew_name.is_some() == is_crew);
        counted.map(|row| row.count).sum()
    };
    let asks = store::waiting_asks(&state.pool, account.no, state.clock.now()).await?;
    Ok(PrivateCounts {
        channels: rows.len() as i64,
        direct: sum(false),
        crews: sum(true),
        mentions: rows.iter().filter(|row| row.mention_count > 0).count() as i64,
        waiting: asks.into_iter().map(store::AskRow::into_waiting).collect(),
    })
}
