//! The language model behind the guide: requests and streamed answers, in two providers' formats.

mod answer;
mod client;
mod completions;
mod key;
mod messages;
mod provider_format;
mod response;
mod sse;

pub use client::ModelClient;
pub use key::ModelSetupError;

/// A request to a model.
#[derive(Clone, Debug)]
pub struct ModelRequest {
    /// The instructions, which are the same for all turns, so that providers can cache them.
    pub system: String,
    pub messages: Vec<ModelMessage>,
    /// The tools that the model knows, the same for all requests of a turn, so that providers can cache them.
    pub tools: Vec<ModelTool>,
    /// False if the model must answer with text. Providers refuse a conversation with calls of tools that the
    /// request does not name, so the last request of a turn names them, too, and forbids to call them.
    pub may_call_tools: bool,
    /// The maximum number of tokens in the answer.
    pub max_tokens: u32,
    /// The maximum number of tokens that failed attempts may take if the request is to be repeated.
    pub max_lost_tokens: u64,
}

/// A message of the conversation with a model.
#[derive(Clone, Debug)]
pub enum ModelMessage {
    /// A message of the visitor.
    Visitor(String),
    /// An answer of the model.
    Model { text: String, calls: Vec<ModelToolCall> },
    /// The results of the calls in the answer before.
    ToolResults(Vec<ModelToolResult>),
}

/// A tool that a model may call.
#[derive(Clone, Debug)]
pub struct ModelTool {
    pub name: &'static str,
    pub description: &'static str,
    /// The JSON Schema of the arguments.
    pub schema: serde_json::Value,
}

/// A call of a tool by a model.
#[derive(Clone, Debug)]
pub struct ModelToolCall {
    /// The provider's id of the call.
    pub id: String,
    pub name: String,
    /// The arguments as JSON text, which may be malformed.
    pub arguments: String,
}

/// The result of a tool call, for the model.
#[derive(Clone, Debug)]
pub struct ModelToolResult {
    /// The provider's id of the call.
    pub id: String,
    pub text: String,
    pub is_error: bool,
}

/// A complete answer of a model.
#[derive(Clone, Debug, Default)]
pub struct ModelAnswer {
    pub text: String,
    /// Empty if the request forbids calls, whatever the model does.
    pub calls: Vec<ModelToolCall>,
    pub usage: ModelUsage,
    /// The tokens of the attempts before that have failed.
    pub lost_usage: ModelUsage,
    /// True if the answer was cut off at `max_tokens`.
    pub is_cut_off: bool,
}

/// The number of tokens that a request took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ModelUsage {
    /// The tokens of the request, including those that the provider read from its cache.
    pub input_tokens: u64,
    pub output_tokens: u64,
}

impl ModelUsage {
    /// Returns the number of all tokens.
    pub fn total(self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }

    /// Returns the larger count of each kind.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self {
            input_tokens: self.input_tokens.max(other.input_tokens),
            output_tokens: self.output_tokens.max(other.output_tokens),
        }
    }

    /// Returns the tokens of two requests together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
        }
    }
}

/// A request without an answer.
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
pub struct ModelFailure {
    /// The error of the last attempt.
    pub error: ModelError,
    /// The tokens of all attempts, estimated where the provider has not counted them.
    pub usage: ModelUsage,
}

/// The number of bytes that have a token at most, for texts that no provider has counted.
pub(super) const SAFE_BYTES_PER_TOKEN: usize = 2;

/// Returns the most tokens that so many bytes are likely to have.
pub(super) fn safe_tokens(bytes: usize) -> u64 {
    bytes.div_ceil(SAFE_BYTES_PER_TOKEN) as u64
}

/// The reason why a model gave no answer. No variant contains the key or a text of the provider that could.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    #[error("the model cannot be reached")]
    Unreachable(#[source] reqwest::Error),
    #[error("the model did not answer in time")]
    TimedOut,
    #[error("the model is overloaded")]
    Overloaded,
    #[error("the provider refused the request with status {status}")]
    Refused { status: u16 },
    #[error("the model broke off its answer")]
    BrokenOff,
    #[error("the model's answer cannot be read: {0}")]
    Unreadable(&'static str),
}
