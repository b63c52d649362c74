//! The interface between the client of a model and the formats of providers.

use platform::config::Secret;
use reqwest::header::HeaderMap;
use serde_json::Value;

use super::ModelRequest;
use super::answer::AnswerPart;
use super::key::ModelSetupError;

/// The format of a provider's requests and streamed answers.
pub(super) trait ProviderFormat: Send + Sync {
    /// Returns the path after the address of the API.
    fn path(&self) -> &'static str;

    /// Returns the headers of a request, with the key if there is one.
    ///
    /// # Errors
    /// If the key cannot stand in a header.
    fn headers(&self, key: Option<&Secret>) -> Result<HeaderMap, ModelSetupError>;

    /// Returns the body of a request.
    fn body(&self, model: &str, request: &ModelRequest) -> Value;

    /// Returns the parts of an answer in one event of the stream.
    fn parts(&self, event: &Value) -> Vec<AnswerPart>;
}
