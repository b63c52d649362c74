//! The states of a turn, and its events as a stream sends them.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::drafts::{Draft, DraftKind};

/// The state of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum TurnState {
    /// Its stream was not asked for yet.
    Waiting,
    Running,
    Answered,
    /// Its stream can be asked for again.
    Failed,
}

/// The state of a tool call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolStatus {
    Running,
    Done,
    /// The tool refused the arguments, or had an error. The guide goes on.
    Failed,
    /// The visitor may not have this done. The guide goes on.
    Denied,
}

/// A tool call of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ToolStep {
    /// The number of the call within the turn, from 1.
    pub call: u32,
    pub tool: String,
    /// The call in one line.
    pub summary: String,
    pub status: ToolStatus,
}

/// The reason why a turn has no answer. Each is a code of the table of errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum TurnFailure {
    ModelUnavailable,
    BudgetSpent,
    InternalError,
    /// The question was deleted meanwhile.
    NotFound,
}

/// The number of tokens that a turn took, and its price.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct TurnUsage {
    /// Tokens of all requests of the turn, including those that the provider read from its cache.
    #[schema(value_type = i64)]
    pub input_tokens: u64,
    #[schema(value_type = i64)]
    pub output_tokens: u64,
    /// Millionths of the currency in which the operators have set the prices.
    #[schema(value_type = i64)]
    pub cost_micros: u64,
}

/// An event of a turn.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(untagged)]
pub enum TurnEvent {
    /// A tool call has begun or ended.
    Tool {
        /// The number of the call within the turn, from 1.
        call: u32,
        tool: String,
        /// The call in one line.
        summary: String,
        status: ToolStatus,
    },
    /// The next part of the answer, as Markdown.
    Delta { text: String },
    /// A change was proposed, which waits for a person.
    Draft {
        /// `draft_…`.
        id: String,
        kind: DraftKind,
        summary: String,
    },
    /// The turn is complete. The last event.
    Done {
        /// `guidemsg_…`, the id of the answer.
        message_id: String,
        usage: TurnUsage,
    },
    /// The turn has failed. The last event. The question is kept, and the stream can be asked again.
    Error { code: TurnFailure, message: String },
}

impl TurnEvent {
    /// Returns the name of the event in the stream.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Tool { .. } => "tool",
            Self::Delta { .. } => "delta",
            Self::Draft { .. } => "draft",
            Self::Done { .. } => "done",
            Self::Error { .. } => "error",
        }
    }

    /// Returns true if no event follows.
    pub fn is_last(&self) -> bool {
        matches!(self, Self::Done { .. } | Self::Error { .. })
    }

    /// Returns the event of a failed turn.
    pub(super) fn failed(code: TurnFailure) -> Self {
        Self::Error { code, message: code.sentence().to_owned() }
    }
}

impl From<ToolStep> for TurnEvent {
    fn from(ToolStep { call, tool, summary, status }: ToolStep) -> Self {
        Self::Tool { call, tool, summary, status }
    }
}

impl From<&Draft> for TurnEvent {
    fn from(draft: &Draft) -> Self {
        Self::Draft { id: draft.id.clone(), kind: draft.kind, summary: draft.summary.clone() }
    }
}

impl TurnState {
    /// Returns the state at a time: a turn that runs has failed once its instance counts as dead.
    pub(super) fn at(self, running_until: Option<DateTime<Utc>>, now: DateTime<Utc>) -> Self {
        let is_dead = self == Self::Running && running_until.is_none_or(|until| until <= now);
        if is_dead { Self::Failed } else { self }
    }
}

impl TurnFailure {
    /// Returns what has happened and what to do, for the visitor.
    fn sentence(self) -> &'static str {
        match self {
            Self::ModelUnavailable => {
                "The guide's model does not answer now. Nothing was changed. Try again in a minute."
            }
            Self::BudgetSpent => {
                "The guide's budget for today is spent. Nothing was changed. Try again tomorrow (UTC)."
            }
            Self::InternalError => "The server had an unexpected error. Nothing was changed. Try again.",
            Self::NotFound => "This question was deleted. Ask again.",
        }
    }
}
