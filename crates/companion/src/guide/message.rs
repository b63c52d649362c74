//! The messages of a conversation, as its owner reads them.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use super::events::{ToolStep, TurnState, TurnUsage};
use crate::drafts::Draft;
use crate::tools::guide::context::GuideContext;

/// The author of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum GuideRole {
    Visitor,
    Guide,
}

/// A message of a conversation with the guide.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct GuideMessage {
    /// `guidemsg_…`.
    pub id: String,
    pub role: GuideRole,
    /// A question as text, or an answer as Markdown.
    pub content: String,
    /// The place and moment that the visitor looked at; left out if they were not sent, and in answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<GuideContext>,
    /// The state of a question; left out in answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<TurnState>,
    /// The tool calls of an answer; empty in questions.
    pub trace: Vec<ToolStep>,
    /// The drafts of an answer with their present states; empty in questions.
    pub drafts: Vec<Draft>,
    /// The model of an answer; left out in questions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The tokens and the price of an answer; left out in questions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<TurnUsage>,
    pub created_at: DateTime<Utc>,
}

/// The questions that a visitor may still ask today.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct GuideBudget {
    pub turns_left: u32,
    pub turns_per_day: u32,
    /// The next midnight in UTC.
    pub resets_at: DateTime<Utc>,
}

/// A visitor's conversation with the guide.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct GuideMessages {
    /// The newest messages, oldest first.
    pub messages: Vec<GuideMessage>,
    pub budget: GuideBudget,
    /// True for the conversation of all operators.
    pub shared: bool,
}
