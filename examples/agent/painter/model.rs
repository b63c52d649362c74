//! The model's client, for a Messages-style API with streamed responses.

use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use futures_util::StreamExt as _;
use reqwest::Client;
use serde_json::{Value, json};

use super::settings::Settings;
use super::stream::ModelAnswer;

/// Maximum time without data from the model.
const READ_TIMEOUT: Duration = Duration::from_mins(2);
/// Maximum length of a response in bytes.
const MAX_ANSWER_BYTES: usize = 4 << 20;

/// The address and the name of the model.
pub struct Model {
    client: Client,
    url: String,
    key: Option<String>,
    name: String,
    /// A secret that is removed from every request, in case a tool result contains it.
    secret: String,
}

impl Model {
    /// Returns a client that removes `secret` from every request.
    pub fn new(settings: &Settings, secret: &str) -> anyhow::Result<Self> {
        let client = https_client::builder()?.read_timeout(READ_TIMEOUT).build()?;
        let (key, name) = (settings.model_key.clone(), settings.model_name.clone());
        let url = format!("{}/v1/messages", settings.model_url);
        Ok(Self { client, url, key, name, secret: secret.to_owned() })
    }

    /// Sends a prompt. The response has at most this number of tokens.
    pub async fn complete(&self, prompt: Value, max_tokens: u64) -> anyhow::Result<ModelAnswer> {
        let mut body = json!({"model": self.name, "max_tokens": max_tokens, "stream": true});
        body.as_object_mut()
            .into_iter()
            .for_each(|body| body.extend(prompt.as_object().cloned().unwrap_or_default()));
        let body = body.to_string().replace(&self.secret, "[key]");
        let mut request = self.client.post(&self.url).header("Content-Type", "application/json").body(body);
        request = request.header("anthropic-version", "2023-06-01");
        if let Some(key) = &self.key {
            request = request.header("x-api-key", key);
        }
        let response = request.send().await.context("the model is unreachable")?;
        if !response.status().is_success() {
            bail!("the model responded with {}: {}", response.status(), response.text().await?);
        }
        let (mut answer, mut chunks, mut length) = (ModelAnswer::default(), response.bytes_stream(), 0);
        while let Some(chunk) = chunks.next().await {
            let chunk = chunk.context("the model broke off")?;
            length += chunk.len();
            ensure!(length <= MAX_ANSWER_BYTES, "the model's response is too long");
            answer.feed(&chunk)?;
        }
        ensure!(answer.is_complete(), "the model broke off");
        Ok(answer)
    }
}
