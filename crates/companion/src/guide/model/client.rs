//! The client of a model: sends requests, repeats those that failed before any text came, and streams
//! answers.

use std::error::Error as _;
use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use platform::config::{ApiShape, GuideSettings};
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use reqwest::redirect::Policy;
use reqwest::{Client, Response};
use tokio::time::{sleep, timeout};

use super::completions::CompletionsFormat;
use super::key::{ModelSetupError, read_key};
use super::messages::MessagesFormat;
use super::provider_format::ProviderFormat;
use super::response::{AnswerLimits, FailedAttempt, check_status, read_answer};
use super::{ModelAnswer, ModelError, ModelFailure, ModelRequest, ModelUsage};

/// The timeout of connecting.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The waits before the second and the third attempt.
const RETRY_DELAYS: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(3)];

/// The maximum number of bytes of an answer per token that it may have. A model that keeps to its limit stays
/// below.
const MAX_BYTES_PER_TOKEN: usize = 8;

/// A client of one model at one provider.
pub struct ModelClient {
    http: Client,
    url: String,
    headers: HeaderMap,
    model: String,
    format: Box<dyn ProviderFormat>,
    /// The longest time without data.
    data_timeout: Duration,
}

impl ModelClient {
    /// Returns a client for the model of these settings, and reads its key.
    ///
    /// # Errors
    /// If no model is set, or its key cannot be read.
    pub fn new(settings: &GuideSettings) -> Result<Self, ModelSetupError> {
        let model = settings.model.clone().ok_or(ModelSetupError::NoModel)?;
        let key = settings.api_key.as_ref().map(read_key).transpose()?;
        let format = provider_format(settings);
        let client = https_client::builder().map_err(|_| ModelSetupError::NoClient)?;
        let client = client.connect_timeout(CONNECT_TIMEOUT).redirect(Policy::none());
        Ok(Self {
            http: client.build().map_err(|_| ModelSetupError::NoClient)?,
            url: format!("{}{}", settings.api_base, format.path()),
            headers: format.headers(key.as_ref())?,
            model,
            format,
            data_timeout: Duration::from_secs(settings.timeout_seconds.into()),
        })
    }

    /// Returns the name of the model.
    pub fn name(&self) -> &str {
        &self.model
    }

    /// Sends a request and returns the complete answer. Calls `on_text` with each piece of its text as it
    /// comes. The request is repeated at most twice, and only while no text has come and failed attempts have
    /// taken few tokens.
    ///
    /// # Errors
    /// If there is no complete answer. The text that came before stands.
    pub async fn answer(
        &self,
        request: &ModelRequest,
        on_text: &mut (dyn FnMut(&str) + Send),
    ) -> Result<ModelAnswer, ModelFailure> {
        let body = Bytes::from(self.format.body(&self.model, request).to_string());
        let mut delays = RETRY_DELAYS.into_iter();
        let mut lost = ModelUsage::default();
        loop {
            let mut has_text = false;
            let mut forward = |text: &str| {
                has_text = true;
                on_text(text);
            };
            let failure = match self.attempt(&body, request.max_tokens, &mut forward).await {
                Ok(answer) => return Ok(complete(answer, request, lost)),
                Err(failure) => failure,
            };
            tracing::warn!(
                error = %failure.error,
                cause = ?failure.error.source(),
                kind = failure.kind,
                "request to the model failed"
            );
            lost = lost.plus(failure.usage);
            let may_repeat = !has_text && lost.total() <= request.max_lost_tokens;
            match delays.next().and_then(|delay| failure.retry_delay(delay)) {
                Some(delay) if may_repeat => sleep(delay).await,
                _ => return Err(ModelFailure { error: failure.error, usage: lost }),
            }
        }
    }

    async fn attempt(
        &self,
        body: &Bytes,
        max_tokens: u32,
        on_text: &mut (dyn FnMut(&str) + Send),
    ) -> Result<ModelAnswer, FailedAttempt> {
        let response = check_status(self.send(body).await?).await?;
        let limits = AnswerLimits {
            data_timeout: self.data_timeout,
            max_bytes: max_tokens as usize * MAX_BYTES_PER_TOKEN,
            request_bytes: body.len(),
        };
        read_answer(response, self.format.as_ref(), limits, on_text).await
    }

    async fn send(&self, body: &Bytes) -> Result<Response, FailedAttempt> {
        let request = self.http.post(&self.url).headers(self.headers.clone());
        let request = request.header(CONTENT_TYPE, "application/json").body(body.clone());
        let response = timeout(self.data_timeout, request.send()).await;
        // The URL of the error is of no use to readers of the log, and could contain a name of a private
        // host.
        let response = response.map_err(|_| FailedAttempt::timed_out(body.len()))?;
        response.map_err(|error| FailedAttempt::repeatable(ModelError::Unreachable(error.without_url())))
    }
}

impl fmt::Debug for ModelClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelClient")
            .field("url", &self.url)
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}

/// Returns an answer without calls that the request forbids, and with the tokens of the attempts before it.
fn complete(mut answer: ModelAnswer, request: &ModelRequest, lost_usage: ModelUsage) -> ModelAnswer {
    if !request.may_call_tools {
        answer.calls.clear();
    }
    ModelAnswer { lost_usage, ..answer }
}

fn provider_format(settings: &GuideSettings) -> Box<dyn ProviderFormat> {
    match settings.api_shape {
        ApiShape::Messages => Box::new(MessagesFormat),
        ApiShape::Completions => Box::new(CompletionsFormat::new(&settings.api_base)),
    }
}
