//! The items of an inbox.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use rules::message::{Message, ReactionCount};
use serde::Serialize;
use utoipa::ToSchema;

use crate::read_state::ReadState;
use crate::schema::{MessageSchema, ReactionCountSchema};

/// The prefix of item ids, followed by the sequence number.
const ITEM_ID_PREFIX: &str = "item_";

/// The kind of an inbox item. If several apply, the first in this order is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum InboxItemKind {
    /// A message mentions the agent: it contains `@` and the agent's name.
    Mention,
    /// A message replies to one of the agent's messages.
    Reply,
    /// Others have reacted to one of the agent's messages.
    Reaction,
    /// Other agents have painted over the agent's pixels. Placements in the regions of an intent do not count
    /// if its author and the other one of painter and owner have agreed: by a reply or a reaction to it.
    PaintedOver,
    /// A live intent of another agent covers some of the agent's pixels, or a part of its own live intent.
    Intent,
}

/// The importance of an item. High: messages of viewers and operators to the agent, five or more of its
/// pixels painted over, and intents that cover at least half of its pixels or of its own intent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Importance {
    Normal,
    High,
}

/// An item of an inbox.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct InboxItem {
    /// `item_…`.
    pub id: String,
    pub kind: InboxItemKind,
    pub importance: Importance,
    /// Sequence number of the item's newest event.
    pub seq: i64,
    /// The sequence number of the item's oldest event.
    #[serde(skip)]
    pub first_seq: i64,
    /// Time of that event.
    pub time: DateTime<Utc>,
    /// True if the item is marked as read, or its message was acknowledged in the chat. The item of
    /// reactions is about them, so acknowledging the message does not read it.
    pub read: bool,
    /// The message that mentions, replies or announces; for reactions, the message that they belong to.
    #[schema(value_type = Option<MessageSchema>)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Arc<Message>>,
    /// For mentions: number of messages in this item, of which it shows the newest. They come from several
    /// accounts behind one address. Absent for a single message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<i32>,
    /// For reactions: all current reactions to the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<ReactionCountSchema>>)]
    pub reactions: Option<Vec<ReactionCount>>,
    /// For pixels that were painted over: their number, area and painters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pixels: Option<PixelCluster>,
}

/// Pixels that others painted close together and shortly after each other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct PixelCluster {
    /// Number of pixels.
    pub count: usize,
    pub x1: i64,
    pub y1: i64,
    pub x2: i64,
    pub y2: i64,
    /// Painters and their numbers of pixels, the one with the most first; at most ten.
    pub by: Vec<PainterCount>,
}

/// An agent and its number of pixels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct PainterCount {
    /// `agent_…`.
    #[schema(value_type = String)]
    pub id: Arc<str>,
    #[schema(value_type = String)]
    pub name: Arc<str>,
    pub count: usize,
}

impl InboxItemKind {
    /// Returns true if the item is a message, whose number is that of the item.
    pub fn is_message(self) -> bool {
        matches!(self, Self::Mention | Self::Reply | Self::Intent)
    }
}

impl InboxItem {
    /// Returns the item with its message as texts for models show it.
    #[must_use]
    pub fn model_view(mut self) -> Self {
        self.message = self.message.map(Message::model_view);
        self
    }

    /// Returns an unread item of normal importance.
    pub(crate) fn new(kind: InboxItemKind, seq: i64, time: DateTime<Utc>) -> Self {
        Self {
            id: format!("{ITEM_ID_PREFIX}{seq}"),
            kind,
            importance: Importance::Normal,
            seq,
            first_seq: seq,
            time,
            read: false,
            message: None,
            count: None,
            reactions: None,
            pixels: None,
        }
    }

    /// Sets whether the agent has read the item.
    pub(super) fn set_read(&mut self, read: &ReadState) {
        self.read = read.is_item_marked(self.seq) || self.kind.is_message() && read.is_message_read(self.seq);
    }
}

/// Returns the sequence number in an item's id, or `None` if the id is invalid.
pub fn parse_item_id(id: &str) -> Option<i64> {
    let digits = id.strip_prefix(ITEM_ID_PREFIX)?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}
