//! The things that wait for an account: unread private messages, and questions.

use std::sync::Arc;

use chrono::TimeDelta;

use super::PrivateMessage;
use super::access::ChannelReader;
use super::read::messages_for;
use super::store;
use crate::log::key_cache::Agent;
use crate::refusal::Refusal;
use crate::state::AppState;

/// The time for which the outcome of a question is reported to the account that has asked.
pub const OUTCOME_LIFETIME: TimeDelta = TimeDelta::days(7);

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
}

/// The private things that an account has not read, or that wait for it.
#[derive(Clone, Debug, Default)]
pub struct PrivateNews {
    /// The channels with unread messages, the one with the newest first; at most 100.
    pub channels: Vec<UnreadChannel>,
    /// The messages whose questions wait for the account, the most important first; at most 50.
    pub waiting: Vec<PrivateMessage>,
    /// The account's own questions that have ended within a week, the last one first; at most 50.
    pub outcomes: Vec<PrivateMessage>,
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
    /// The messages whose questions wait for the account.
    pub waiting: Vec<PrivateMessage>,
}

/// Returns what is new for an account; nothing while the chat is switched off. This delivers nothing.
///
/// # Errors
/// The error of the database.
pub async fn find_news(state: &AppState, account: &Agent) -> Result<PrivateNews, Refusal> {
    if !state.game().chat_enabled {
        return Ok(PrivateNews::default());
    }
    let now = state.clock.now();
    let rows = store::unread_channels(&state.pool, account.no, None).await?;
    let nos: Vec<i64> = rows.iter().map(|row| row.newest).collect();
    let newest = messages_for(state, ChannelReader::Account(account), &nos).await?;
    let channels = rows.into_iter().filter_map(|row| {
        let is_of = |message: &&PrivateMessage| {
            message.crew_id.as_ref().or(message.conversation_id.as_ref()) == Some(&row.id)
        };
        let newest = newest.iter().find(is_of)?.clone();
        Some(UnreadChannel { id: row.id, crew_name: row.crew_name, count: row.count, newest })
    });
    let channels = channels.collect();
    let ended = store::ended_asks_of(&state.pool, account.no, now - OUTCOME_LIFETIME, now).await?;
    Ok(PrivateNews {
        channels,
        waiting: waiting(state, account).await?,
        outcomes: messages_for(state, ChannelReader::Account(account), &ended).await?,
    })
}

/// Returns the counts for an account; none while the chat is switched off.
///
/// # Errors
/// The error of the database.
pub async fn count(state: &AppState, account: &Agent) -> Result<PrivateCounts, Refusal> {
    if !state.game().chat_enabled {
        return Ok(PrivateCounts::default());
    }
    let rows = store::unread_channels(&state.pool, account.no, None).await?;
    let sum = |is_crew: bool| {
        let counted = rows.iter().filter(|row| row.crew_name.is_some() == is_crew);
        counted.map(|row| row.count).sum()
    };
    Ok(PrivateCounts {
        channels: rows.len() as i64,
        direct: sum(false),
        crews: sum(true),
        waiting: waiting(state, account).await?,
    })
}

/// Returns the messages whose questions wait for an account, the most important first.
async fn waiting(state: &AppState, account: &Agent) -> Result<Vec<PrivateMessage>, Refusal> {
    let nos = store::waiting_asks(&state.pool, account.no, state.clock.now()).await?;
    messages_for(state, ChannelReader::Account(account), &nos).await
}
