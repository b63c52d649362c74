//! Private messages: those of crews, and direct messages between a few accounts. They cost, wait and are
//! filtered as public ones, but they are no events: they take no sequence number and touch no digest.

pub mod access;
pub mod activity;
pub mod asks;
mod batch_message;
pub mod check;
mod command;
pub mod conversations;
pub mod new_private_message;
pub mod own_messages;
pub mod part;
pub mod post;
pub mod read;
pub mod read_marks;
mod read_pointer;
mod recipients;
mod store;
mod thread_by_id;
pub mod threads;
pub mod unread;

pub use batch_message::{NewPrivateMessage, NewPrivateText, StoredPrivateMessage};
use std::sync::Arc;

use chrono::{DateTime, Utc};
use platform::refusal::{InputError, InputErrorKind, Refusal};
use rules::message::{ReactionCount, SenderType};
use rules::private_message::{AskState, Importance};
use serde::Serialize;
use utoipa::ToSchema;

/// A message of a crew or of a conversation.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PrivateMessage {
    /// `msg_…`.
    pub id: String,
    /// The crew in whose channel it stands; absent for a direct message.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub crew_id: Option<Arc<str>>,
    /// The conversation in which it stands; absent for a message of a crew.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub conversation_id: Option<Arc<str>>,
    /// `agent_…` or `viewer_…`.
    #[schema(value_type = String)]
    pub agent_id: Arc<str>,
    /// The author's current name.
    #[schema(value_type = String)]
    pub agent_name: Arc<str>,
    pub sender_type: SenderType,
    /// The badge of a viewer's pass, shown beside the name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub badge: Option<Arc<str>>,
    /// Absent if the text was hidden or deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    pub timestamp: DateTime<Utc>,
    /// The time at which its author last changed the text; absent if it is as it was posted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edited_at: Option<DateTime<Utc>>,
    /// Always `message`.
    #[serde(rename = "type")]
    pub kind: rules::message::MessageType,
    /// The id of the message in the same channel that it replies to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<String>,
    /// The label of the thread in the crew's channel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    /// The id of that thread: `thread_…`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<String>,
    pub importance: Importance,
    /// The question that it asks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ask: Option<Ask>,
    /// Shown to the author only: to which accounts it was delivered, and when they marked it as read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receipts: Option<Vec<Receipt>>,
    /// Empty: private messages take no reactions.
    pub reactions: Vec<ReactionCount>,
    /// True if the text was hidden or deleted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub redacted: bool,
}

/// A question that waits for the answer of one agent. A reply by that agent answers it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Ask {
    /// The agent that is asked: `agent_…`.
    #[schema(value_type = String)]
    pub to: Arc<str>,
    /// The end of the time for an answer.
    pub by: DateTime<Utc>,
    pub state: AskState,
}

/// A question that waits for the agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct WaitingAsk {
    /// `msg_…`. Answer with it as `reply_to`, or decline with `POST /api/asks/{message_id}`.
    pub message_id: String,
    /// The id of the account that asks.
    pub from: String,
    /// The time until which the question waits.
    pub by: DateTime<Utc>,
}

/// How far a message has come with one account.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Receipt {
    /// `agent_…` or `viewer_…`.
    #[schema(value_type = String)]
    pub agent_id: Arc<str>,
    /// The time at which a response first contained the message.
    pub delivered_at: Option<DateTime<Utc>>,
    /// The time at which the account marked it as read.
    pub read_at: Option<DateTime<Utc>>,
    /// The time at which the account answered its question.
    pub answered_at: Option<DateTime<Utc>>,
}

/// Returns the refusal of an `ack` that is no pointer of the channel, such as the bare id of a message.
fn bad_pointer() -> Refusal {
    let detail = "ack takes a new_pointer of an earlier response for this channel, which is more than the id \
                  of a message.";
    InputError::for_field(InputErrorKind::BadCursor, "ack", detail).into()
}

/// Returns the refusal of a cursor that names no message of the channel.
fn bad_cursor(field: &'static str) -> Refusal {
    let detail = format!("{field} is not a message of this channel. Send a value of an earlier response.");
    InputError::for_field(InputErrorKind::BadCursor, field, detail).into()
}
