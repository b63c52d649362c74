//! The format of the API of the guide's language model.

/// The format of a provider's API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApiShape {
    /// The Messages API of Anthropic.
    Messages,
    /// Chat completions, as `OpenAI` and most servers for local models have them.
    Completions,
}
