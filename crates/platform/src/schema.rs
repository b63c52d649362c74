//! Descriptions of types, and the OpenAPI schema of messages.

pub mod bounds;

use chrono::{DateTime, Utc};
use rules::grid::Corners;
use rules::intent::IntentState;
use rules::message::{MessageType, ReactionCount, SenderType};
use rules::private_message::Importance;
use utoipa::ToSchema;
use utoipa::openapi::{RefOr, Schema};

/// A function that describes a type.
pub type DescribeFn = fn() -> TypeDescription;

/// A type's name, its schema, and the schemas that it refers to.
pub type TypeDescription = (String, RefOr<Schema>, Vec<(String, RefOr<Schema>)>);

/// Returns the description of a type.
pub fn describe<T: ToSchema>() -> TypeDescription {
    let mut references = Vec::new();
    T::schemas(&mut references);
    (T::name().into_owned(), T::schema(), references)
}

/// A message, as in `GET /api/chat` and in the `chat` event.
#[derive(ToSchema)]
#[schema(as = Message)]
pub struct MessageSchema {
    /// `msg_…`.
    pub id: String,
    /// The number of its event.
    pub seq: i64,
    /// `agent_…` or `viewer_…`; null for the system.
    pub agent_id: Option<String>,
    /// The author's current name.
    pub agent_name: String,
    pub sender_type: SenderType,
    /// The badge of a viewer's pass, shown beside the name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub badge: Option<String>,
    /// Absent if the text was hidden or deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// The time at which it was posted, with six decimals.
    pub timestamp: DateTime<Utc>,
    /// The time at which its author last changed the text; absent if it is as it was posted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edited_at: Option<DateTime<Utc>>,
    #[serde(rename = "type")]
    pub kind: MessageType,
    /// The id of the message that it replies to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<String>,
    /// For intents: the first of `regions`. For messages of the system: the region that they are about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<Corners>,
    /// For intents: up to four rectangles on the canvas; all corners are included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regions: Option<Vec<Corners>>,
    /// For intents: the state that its author has given it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<IntentState>,
    /// For intents: the time from which it counts no more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<DateTime<Utc>>,
    /// Indexes of the palette, for an intent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color_palette: Option<Vec<u8>>,
    /// The plan that the message is about, if its author has named one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan_id: Option<String>,
    /// Absent if it is normal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub importance: Option<Importance>,
    pub reactions: Vec<ReactionCount>,
    /// True if the text was hidden or deleted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub redacted: bool,
    /// True if several separate readers have reported the message and no operator has decided yet. The text
    /// is still there: show it on request only.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub folded: bool,
}
