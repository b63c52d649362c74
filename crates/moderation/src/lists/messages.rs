//! The list of messages: public ones, those that only their authors can see, and reported private ones. The
//! texts of private ones are only in the evidence of their reports, where each look is audited.

use caraplace_accounts::agents::accounts;
use caraplace_log::state::AppState;
use caraplace_talk::chat::read::bad_cursor;
use chrono::{DateTime, Utc};
use platform::refusal::Refusal;
use rules::ids::MessageId;
use rules::message::SYSTEM_NAME;
use rules::numbers::AccountNo;
use rules::rights::PERMANENT;
use serde::Serialize;
use utoipa::ToSchema;

use super::contains_pattern;
use super::store::messages::{self as store, ListedMessageRow, MessageSearch};

/// The states by which messages are searched.
pub const MESSAGE_STATES: [&str; 4] = ["visible", "hidden", "shadowed", "deleted"];

/// The conditions of a list of messages.
#[derive(Clone, Copy, Debug)]
pub struct MessageFilter<'a> {
    /// A part of the text, in upper or lower case, or the id of a message. Texts of private messages are not
    /// searched.
    pub text: Option<&'a str>,
    /// The id or the name of the author.
    pub author: Option<&'a str>,
    /// One of [`MESSAGE_STATES`].
    pub state: Option<&'a str>,
}

/// The state of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MessageState {
    /// Its readers can see it.
    Visible,
    /// Operators have hidden it.
    Hidden,
    /// Its author was shadow-banned, and alone can see it.
    Shadowed,
    /// Its author has deleted it.
    Deleted,
}

/// A message in the operators' list.
#[derive(Debug, Serialize, ToSchema)]
pub struct ListedMessage {
    /// `msg_…`.
    pub id: String,
    /// `agent_…` or `viewer_…`; null for the system.
    pub agent_id: Option<String>,
    pub agent_name: String,
    pub state: MessageState,
    /// True for a reported message of a crew or of a conversation.
    pub private: bool,
    /// Null if the message is deleted or private. The report of a private one has its text.
    pub content: Option<String>,
    pub timestamp: DateTime<Utc>,
    /// Null if the text is as it was posted.
    pub edited_at: Option<DateTime<Utc>>,
    /// True if it is folded: several readers have reported it.
    pub folded: bool,
    /// `report_…`: the undecided report about it, or else the newest one; null if there is none.
    pub report_id: Option<String>,
}

/// A page of the operators' list of messages.
#[derive(Debug, Serialize, ToSchema)]
pub struct ListedMessagePage {
    pub success: bool,
    /// Newest first.
    pub messages: Vec<ListedMessage>,
    /// The `before` of the next page; null on the last page.
    pub next_before: Option<String>,
}

impl MessageState {
    /// Returns the state in a word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Visible => "visible",
            Self::Hidden => "hidden",
            Self::Shadowed => "shadowed",
            Self::Deleted => "deleted",
        }
    }
}

impl ListedMessage {
    /// Returns true if operators can hide or restore the message.
    pub fn can_change(&self) -> bool {
        matches!(self.state, MessageState::Visible | MessageState::Hidden)
    }
}

impl From<ListedMessageRow> for ListedMessage {
    fn from(row: ListedMessageRow) -> Self {
        let state = if row.is_deleted {
            MessageState::Deleted
        } else if row.is_hidden {
            MessageState::Hidden
        } else if row.is_shadow {
            MessageState::Shadowed
        } else {
            MessageState::Visible
        };
        Self {
            id: row.id,
            agent_id: row.agent_id,
            agent_name: row.agent_name.unwrap_or_else(|| SYSTEM_NAME.to_owned()),
            state,
            private: row.is_private,
            content: Some(row.content).filter(|_| !row.is_deleted && !row.is_private),
            timestamp: row.sent_at,
            edited_at: row.edited_at,
            folded: row.is_folded,
            report_id: row.report_id,
        }
    }
}

/// Returns the messages that meet the conditions, newest first, after the message `before`. An unknown author
/// has none.
///
/// # Errors
/// `Input` if the message `before` is gone: a cursor that ended the list would hide the rest of it.
pub async fn list(
    state: &AppState,
    filter: &MessageFilter<'_>,
    before: Option<&MessageId>,
    limit: i64,
) -> Result<ListedMessagePage, Refusal> {
    let empty = ListedMessagePage { success: true, messages: Vec::new(), next_before: None };
    let before_at = match before {
        Some(id) => store::find_time(&state.pool, id.as_str()).await?.ok_or_else(bad_cursor)?,
        None => PERMANENT,
    };
    let author = match filter.author {
        Some(author) => match find_account_no(state, author).await? {
            Some(no) => Some(no),
            None => return Ok(empty),
        },
        None => None,
    };
    let (id, text) = match filter.text {
        Some(text) if MessageId::parse(text).is_some() => (Some(text), None),
        text => (None, text.map(contains_pattern)),
    };
    let before_id = before.map(MessageId::as_str).unwrap_or_default();
    let text_pattern = text.as_deref();
    let search = MessageSearch { before_at, before_id, id, author, text_pattern, state: filter.state };
    let mut rows = store::list(&state.pool, &search, limit + 1).await?;
    let has_more = rows.len() as i64 > limit;
    rows.truncate(limit as usize);
    let next_before = rows.last().filter(|_| has_more).map(|row| row.id.clone());
    Ok(ListedMessagePage {
        messages: rows.into_iter().map(ListedMessage::from).collect(),
        next_before,
        ..empty
    })
}

/// Returns the number of the account with this id or name, or `None` if there is none.
async fn find_account_no(state: &AppState, id_or_name: &str) -> Result<Option<AccountNo>, Refusal> {
    let Some(id) = accounts::find_id(state, id_or_name).await? else { return Ok(None) };
    Ok(accounts::find(state, &id).await?.map(|account| account.no))
}
