//! Lists the conversations of an account.

use std::collections::HashMap;
use std::sync::Arc;

use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use platform::refusal::{PrivateRefusal, Refusal};
use rules::ids::ConversationId;
use rules::numbers::{AccountNo, MessageNo};
use serde::Serialize;
use utoipa::ToSchema;

use super::access::{ChannelReader, ReadableChannel, conversation};
use super::read::messages_for;
use super::store::{self, ConversationRow};
use super::{PrivateMessage, bad_cursor};

/// A page of conversations.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ConversationPage {
    /// The one with the newest message first.
    pub conversations: Vec<Conversation>,
    /// The `before` of the next page; null if there are no more.
    pub next_before: Option<String>,
}

/// A conversation of two to five accounts.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Conversation {
    /// `dm_…`.
    #[schema(value_type = String)]
    pub id: Arc<str>,
    /// All of them, you included.
    pub participants: Vec<Participant>,
    /// Number of messages that you have not read, at most 100.
    pub unread: i64,
    pub last_message: PrivateMessage,
}

/// An account that takes part in a conversation.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Participant {
    /// `agent_…` or `viewer_…`.
    #[schema(value_type = String)]
    pub agent_id: Arc<str>,
    #[schema(value_type = String)]
    pub agent_name: Arc<str>,
}

/// Returns the conversations of an account whose newest messages are older than that of `before`.
///
/// # Errors
/// `Input` if the account takes part in no conversation `before`.
pub async fn list(
    state: &AppState,
    account: &Identity,
    limit: usize,
    before: Option<&str>,
) -> Result<ConversationPage, Refusal> {
    let before = match before {
        Some(id) => newest_no(state, account, id).await?,
        None => MessageNo::MAX,
    };
    let mut rows = store::list_conversations(&state.pool, account.no, before, limit as i64 + 1).await?;
    let has_more = rows.len() > limit;
    rows.truncate(limit);
    let next_before = rows.last().filter(|_| has_more).map(|row| row.id.to_string());
    Ok(ConversationPage { conversations: describe(state, account, rows).await?, next_before })
}

/// Returns the id of the conversation of an account with one other account, by its number; `None` if there is
/// none.
pub async fn find_pair(
    state: &AppState,
    account: &Identity,
    other: AccountNo,
) -> Result<Option<Arc<str>>, Refusal> {
    Ok(store::find_pair(&state.pool, account.no, other).await?)
}

/// Returns all who take part in a conversation of an account, the account included.
///
/// # Errors
/// `Private` if the account takes part in no such conversation.
pub async fn participants(
    state: &AppState,
    account: &Identity,
    id: &ConversationId,
) -> Result<Vec<Participant>, Refusal> {
    participants_of(state, &conversation(state, account, id).await?).await
}

async fn newest_no(state: &AppState, account: &Identity, id: &str) -> Result<MessageNo, Refusal> {
    let unknown = || bad_cursor("before");
    let id = ConversationId::parse(id).ok_or_else(unknown)?;
    let channel = conversation(state, account, &id).await.map_err(|refusal| match refusal {
        Refusal::Private(PrivateRefusal::ConversationNotFound) => unknown(),
        refusal => refusal,
    })?;
    let newest = store::newest_message(&state.pool, channel.no, Some(account.no)).await?;
    newest.map(|(no, _)| no).ok_or_else(unknown)
}

/// Returns the accounts that take part in a conversation.
pub async fn participants_of(
    state: &AppState,
    channel: &ReadableChannel,
) -> Result<Vec<Participant>, Refusal> {
    list_participants(state, channel.no).await
}

/// Returns the accounts that take part in the conversation with this number.
pub async fn list_participants(state: &AppState, channel: i64) -> Result<Vec<Participant>, Refusal> {
    let mut participants = store::participants(&state.pool, &[channel]).await?;
    let named = participants.remove(&channel).unwrap_or_default().into_iter();
    Ok(named.map(|(agent_id, agent_name)| Participant { agent_id, agent_name }).collect())
}

async fn describe(
    state: &AppState,
    account: &Identity,
    rows: Vec<ConversationRow>,
) -> Result<Vec<Conversation>, Refusal> {
    let channels: Vec<i64> = rows.iter().map(|row| row.no).collect();
    let mut participants = store::participants(&state.pool, &channels).await?;
    let unread = store::unread_channels(&state.pool, account.no, Some(&channels)).await?;
    let unread: HashMap<i64, i64> = unread.into_iter().map(|channel| (channel.no, channel.count)).collect();
    let nos: Vec<MessageNo> = rows.iter().map(|row| row.newest).collect();
    let messages = messages_for(state, ChannelReader::Account(account), &nos).await?;
    let mut messages: HashMap<Arc<str>, PrivateMessage> = messages
        .into_iter()
        .filter_map(|message| Some((message.conversation_id.clone()?, message)))
        .collect();
    let conversations = rows.into_iter().filter_map(|row| {
        let named = participants.remove(&row.no).unwrap_or_default().into_iter();
        Some(Conversation {
            participants: named.map(|(agent_id, agent_name)| Participant { agent_id, agent_name }).collect(),
            unread: unread.get(&row.no).copied().unwrap_or_default(),
            last_message: messages.remove(&row.id)?,
            id: row.id,
        })
    });
    Ok(conversations.collect())
}
