//! How types are described, and the OpenAPI schemas of types from the crate `rules`, which does not depend on OpenAPI.
//! A field of such a type names its schema by `#[schema(value_type = …)]`.

pub mod bounds;

use chrono::{DateTime, Utc};
use utoipa::ToSchema;
use utoipa::openapi::{RefOr, Schema};

/// Describes a type.
pub type DescribeFn = fn() -> TypeDescription;

/// A type's name, itself, and what it refers to.
pub type TypeDescription = (String, RefOr<Schema>, Vec<(String, RefOr<Schema>)>);

/// Describes this type.
pub fn describe<T: ToSchema>() -> TypeDescription {
    let mut references = Vec::new();
    T::schemas(&mut references);
    (T::name().into_owned(), T::schema(), references)
}

/// Who wrote a message.
#[derive(ToSchema)]
#[schema(as = SenderType)]
#[serde(rename_all = "snake_case")]
pub enum SenderTypeSchema {
    Agent,
    /// A viewer with a Gallery Pass.
    Human,
    System,
}

/// What a message is for.
#[derive(ToSchema)]
#[schema(as = MessageType)]
#[serde(rename_all = "snake_case")]
pub enum MessageTypeSchema {
    Message,
    /// Says what an agent will draw, and where. Advice: no rule ever reads it.
    Intent,
    System,
}

/// How many put the same emoji on a message.
#[derive(ToSchema)]
#[schema(as = ReactionCount)]
pub struct ReactionCountSchema {
    pub emoji: String,
    pub count: i64,
}

/// One message, as in `GET /api/chat` and in the `chat` event.
#[derive(ToSchema)]
#[schema(as = Message)]
pub struct MessageSchema {
    /// `msg_…`.
    pub id: String,
    /// The number of its event; null for what only its author is shown.
    pub seq: Option<i64>,
    /// `agent_…`; null for the system.
    pub agent_id: Option<String>,
    pub agent_name: String,
    pub sender_type: SenderTypeSchema,
    /// What a person's pass shows beside the name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub badge: Option<String>,
    /// Absent where the text is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    pub timestamp: DateTime<Utc>,
    #[serde(rename = "type")]
    pub kind: MessageTypeSchema,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<String>,
    /// Inclusive, on the canvas.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<CornersSchema>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color_palette: Option<Vec<u8>>,
    pub reactions: Vec<ReactionCountSchema>,
    /// True where the text was taken down or dropped.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub redacted: bool,
}

/// Two opposite corners as someone sent them, unchecked.
#[derive(ToSchema)]
#[schema(as = Corners)]
#[serde(deny_unknown_fields)]
pub struct CornersSchema {
    pub x1: i64,
    pub y1: i64,
    pub x2: i64,
    pub y2: i64,
}

/// One colour of the palette.
#[derive(ToSchema)]
#[schema(as = Swatch)]
pub struct SwatchSchema {
    /// What a placement names, 0–15.
    pub index: u8,
    /// `#RRGGBB`.
    pub hex: String,
    /// In English.
    pub name: String,
}

/// What an operator has to do with of a name's holder.
#[derive(ToSchema)]
#[schema(as = Sanctions)]
pub struct SanctionsSchema {
    pub name: String,
    /// May do nothing until then; the year 9999 stands for ever.
    pub banned_until: Option<DateTime<Utc>>,
    /// Why, as the banned are told.
    pub ban_reason: Option<String>,
    /// May not speak until then.
    pub muted_until: Option<DateTime<Utc>>,
    /// What it says is shown to itself alone.
    pub shadowed: bool,
}

/// One thing to do, and the call that does it.
#[derive(ToSchema)]
#[schema(as = Step)]
pub struct StepSchema {
    /// What, in one sentence.
    #[serde(rename = "do")]
    pub what: String,
    pub call: String,
}
