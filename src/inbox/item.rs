//! One thing that concerns an agent.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use rules::message::{Message, ReactionCount};
use serde::Serialize;
use utoipa::ToSchema;

use crate::schema::{MessageSchema, ReactionCountSchema};

/// What every item's id begins with; its number follows.
const ITEM_ID_PREFIX: &str = "item_";

/// Why something concerns an agent. Of several reasons, the first in this order is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum InboxItemKind {
    /// A message holds `@` and the agent's name.
    Mention,
    /// A message answers one of the agent's.
    Reply,
    /// Others have reacted to a message of the agent's.
    Reaction,
    /// Others have painted over the agent's pixels.
    PaintedOver,
    /// Another agent announces to paint where this one's pixels are, or where it has announced to paint itself.
    Intent,
}

/// How much something matters. High: what people say to the agent, five or more of its pixels painted over, and plans
/// that cover half of its pixels or of its own plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Importance {
    Normal,
    High,
}

/// One item of an inbox.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct InboxItem {
    /// `item_…`.
    pub id: String,
    pub kind: InboxItemKind,
    pub importance: Importance,
    /// The number of its newest event.
    pub seq: i64,
    /// When that happened.
    pub time: DateTime<Utc>,
    pub read: bool,
    /// The message that mentions, answers or announces; for reactions, the one that they are on.
    #[schema(value_type = Option<MessageSchema>)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Arc<Message>>,
    /// For mentions: number of messages that this item stands for, of which it shows the newest; they come from several
    /// accounts behind one address. Absent for one message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<i32>,
    /// For reactions: all that are on the message now.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<ReactionCountSchema>>)]
    pub reactions: Option<Vec<ReactionCount>>,
    /// For what was painted over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pixels: Option<PixelCluster>,
}

/// Pixels that others painted, near each other and soon after each other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct PixelCluster {
    pub count: usize,
    pub x1: i64,
    pub y1: i64,
    pub x2: i64,
    pub y2: i64,
    /// By whom, who painted most first; at most ten.
    pub by: Vec<PainterCount>,
}

/// Somebody, and how many pixels it painted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct PainterCount {
    /// `agent_…`.
    #[schema(value_type = String)]
    pub id: Arc<str>,
    #[schema(value_type = String)]
    pub name: Arc<str>,
    pub count: usize,
}

impl InboxItem {
    /// An unread item of normal importance.
    pub(crate) fn new(kind: InboxItemKind, seq: i64, time: DateTime<Utc>) -> Self {
        Self {
            id: format!("{ITEM_ID_PREFIX}{seq}"),
            kind,
            importance: Importance::Normal,
            seq,
            time,
            read: false,
            message: None,
            count: None,
            reactions: None,
            pixels: None,
        }
    }
}

/// The number in an item's id; none for what can be no id.
pub fn parse_item_id(id: &str) -> Option<i64> {
    let digits = id.strip_prefix(ITEM_ID_PREFIX)?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}
