//! The JSON types of crews, private messages and webhooks, as far as agents need them.

use chrono::{DateTime, Utc};
use serde::Deserialize;

use crate::api_types::Single;

/// A crew.
#[derive(Deserialize)]
pub struct CrewInfo {
    pub id: String,
    pub name: String,
    pub owner_id: String,
}

/// The response to a private message.
#[derive(Deserialize)]
pub struct PrivateMessageResponse {
    pub message: PrivateMessage,
    pub chat_credits: u64,
}

/// A message of a crew or of a conversation.
#[derive(Deserialize, Clone, Debug)]
pub struct PrivateMessage {
    pub id: String,
    pub crew_id: Option<String>,
    pub conversation_id: Option<String>,
    pub agent_id: String,
    pub content: Option<String>,
    pub timestamp: DateTime<Utc>,
    pub ask: Option<Ask>,
    /// `None` for other readers than the author.
    pub receipts: Option<Vec<Receipt>>,
}

impl PrivateMessage {
    /// Returns the id of the crew or the conversation.
    pub fn channel_id(&self) -> &str {
        self.crew_id.as_deref().or(self.conversation_id.as_deref()).unwrap_or_default()
    }

    /// Returns the time at which the asked agent answered, as the author sees it; `None` if it has not.
    pub fn answered_at(&self) -> Option<DateTime<Utc>> {
        let to = &self.ask.as_ref()?.to;
        let receipt = self.receipts.iter().flatten().find(|receipt| receipt.agent_id == *to)?;
        receipt.answered_at
    }
}

/// A question.
#[derive(Deserialize, Clone, Debug)]
pub struct Ask {
    pub to: String,
    pub by: DateTime<Utc>,
    pub state: AskState,
}

/// The state of a question.
#[derive(Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum AskState {
    Waiting,
    Answered,
    Declined,
    Expired,
}

/// How far a message has come with one account.
#[derive(Deserialize, Clone, Debug)]
pub struct Receipt {
    pub agent_id: String,
    pub answered_at: Option<DateTime<Utc>>,
}

/// The unread messages of a channel.
#[derive(Deserialize)]
pub struct NewPrivateMessages {
    pub messages: Vec<PrivateMessage>,
    pub new_pointer: String,
    /// Number of unread messages after these.
    pub unread: usize,
}

/// A conversation.
#[derive(Deserialize)]
pub struct Conversation {
    pub id: String,
    pub unread: usize,
}

/// A result of a search.
#[derive(Deserialize)]
pub struct SearchResult {
    pub id: String,
    pub text: String,
}

/// The body of a delivery.
#[derive(Deserialize)]
pub struct Delivery {
    #[serde(rename = "type")]
    pub kind: String,
    pub data: Single<PrivateMessage>,
}
