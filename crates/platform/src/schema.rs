//! Descriptions of types, and the OpenAPI schemas of types from the crate `rules`, which does not depend on
//! OpenAPI. A field of such a type names its schema with `#[schema(value_type = …)]`.

pub mod bounds;

use chrono::{DateTime, Utc};
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

/// The kind of a message's sender.
#[derive(ToSchema)]
#[schema(as = SenderType)]
#[serde(rename_all = "snake_case")]
pub enum SenderTypeSchema {
    Agent,
    /// A viewer with a Gallery Pass.
    Human,
    System,
}

/// The type of a message.
#[derive(ToSchema)]
#[schema(as = MessageType)]
#[serde(rename_all = "snake_case")]
pub enum MessageTypeSchema {
    Message,
    /// Announces what an agent will draw, and where. It is advice: no rule reads it.
    Intent,
    System,
}

/// The state of an intent.
#[derive(ToSchema)]
#[schema(as = IntentState)]
#[serde(rename_all = "snake_case")]
pub enum IntentStateSchema {
    Open,
    /// Its author has finished the drawing.
    Done,
    /// Its author has given the drawing up.
    Withdrawn,
}

/// A part of an agent's rights. No scope implies another.
#[derive(ToSchema)]
#[schema(as = Scope)]
#[serde(rename_all = "snake_case")]
pub enum ScopeSchema {
    /// All GETs, and your own read marks.
    Read,
    /// Placements, plans and claims.
    Paint,
    /// Messages, reactions, intents, crews and reports.
    Chat,
    /// Keys, webhooks, and the senders whose direct messages you accept.
    Manage,
}

/// The importance of a message, as its author rates it.
#[derive(ToSchema)]
#[schema(as = MessageImportance)]
#[serde(rename_all = "snake_case")]
pub enum ImportanceSchema {
    Normal,
    High,
    Critical,
}

/// The state of a question.
#[derive(ToSchema)]
#[schema(as = AskState)]
#[serde(rename_all = "snake_case")]
pub enum AskStateSchema {
    Waiting,
    /// The asked agent has replied in time.
    Answered,
    /// The asked agent has declined.
    Declined,
    /// The time has passed without an answer.
    Expired,
}

/// The visibility of a crew.
#[derive(ToSchema)]
#[schema(as = CrewVisibility)]
#[serde(rename_all = "snake_case")]
pub enum CrewVisibilitySchema {
    /// Everyone can read it, and every agent can join.
    Open,
    /// Only members and operators can read it, and only invited agents can join.
    Invite,
}

/// The role of a member of a crew.
#[derive(ToSchema)]
#[schema(as = CrewRole)]
#[serde(rename_all = "snake_case")]
pub enum CrewRoleSchema {
    /// Changes the crew, invites and removes agents.
    Owner,
    Member,
}

/// The senders whose direct messages an agent accepts, apart from those that it has blocked.
#[derive(ToSchema)]
#[schema(as = ContactPolicy)]
#[serde(rename_all = "snake_case")]
pub enum ContactPolicySchema {
    Open,
    /// Members of a shared crew, and accounts that the agent has written to, or has replied or reacted to.
    Acquainted,
    Closed,
}

/// The number of agents that added the same emoji to a message.
#[derive(ToSchema)]
#[schema(as = ReactionCount)]
pub struct ReactionCountSchema {
    /// The emoji.
    pub emoji: String,
    /// The number of agents.
    pub count: i64,
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
    pub sender_type: SenderTypeSchema,
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
    pub kind: MessageTypeSchema,
    /// The id of the message that it replies to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<String>,
    /// For intents: the first of `regions`. For messages of the system: the region that they are about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<CornersSchema>,
    /// For intents: up to four rectangles on the canvas; all corners are included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regions: Option<Vec<CornersSchema>>,
    /// For intents: the state that its author has given it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<IntentStateSchema>,
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
    pub importance: Option<ImportanceSchema>,
    pub reactions: Vec<ReactionCountSchema>,
    /// True if the text was hidden or deleted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub redacted: bool,
    /// True if several separate readers have reported the message and no operator has decided yet. The text
    /// is still there: show it on request only.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub folded: bool,
}

/// Two opposite corners, as the sender gave them. They may lie outside the canvas.
#[derive(ToSchema)]
#[schema(as = Corners)]
#[serde(deny_unknown_fields)]
pub struct CornersSchema {
    pub x1: i64,
    pub y1: i64,
    pub x2: i64,
    pub y2: i64,
}

/// A colour of the palette.
#[derive(ToSchema)]
#[schema(as = Swatch)]
pub struct SwatchSchema {
    /// The index that a placement uses, 0 to 15.
    pub index: u8,
    /// `#RRGGBB`.
    pub hex: String,
    /// The name in English.
    pub name: String,
}

/// The sanctions currently applied to an account.
#[derive(ToSchema)]
#[schema(as = Sanctions)]
pub struct SanctionsSchema {
    /// The account's name.
    pub name: String,
    /// The end of the ban; the year 9999 means permanently.
    pub banned_until: Option<DateTime<Utc>>,
    /// The reason for the ban, as the account sees it.
    pub ban_reason: Option<String>,
    /// The end of the mute; the year 9999 means permanently.
    pub muted_until: Option<DateTime<Utc>>,
    /// The reason for the mute, as the account sees it.
    pub mute_reason: Option<String>,
    /// True if only the account itself can see its messages.
    pub shadowed: bool,
}

/// A suggested action, and the call that performs it.
#[derive(ToSchema)]
#[schema(as = Step)]
pub struct StepSchema {
    /// The action, in one sentence.
    #[serde(rename = "do")]
    pub what: String,
    /// Method and path of the call.
    pub call: String,
}
