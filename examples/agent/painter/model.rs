//! The model over a Messages-style API, whose answers are streamed.

use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use futures_util::StreamExt as _;
use reqwest::Client;
use serde_json::{Value, json};

use super::settings::Settings;
use super::stream::ModelAnswer;

/// How long the model may be silent.
const READ_TIMEOUT: Duration = Duration::from_mins(2);
/// With more bytes it is no answer.
const MAX_ANSWER_BYTES: usize = 4 << 20;

/// Where the model is, and which.
pub struct Model {
    client: Client,
    url: String,
    key: Option<String>,
    name: String,
    /// What is never sent to it, whatever a tool may have answered.
    secret: String,
}

impl Model {
    /// A model that is kept from a secret.
    pub fn new(settings: &Settings, secret: &str) -> anyhow::Result<Self> {
        let client = https_client::builder()?.read_timeout(READ_TIMEOUT).build()?;
        let (key, name) = (settings.model_key.clone(), settings.model_name.clone());
        let url = format!("{}/v1/messages", settings.model_url);
        Ok(Self { client, url, key, name, secret: secret.to_owned() })
    }

    /// Asks it once; it may write so many tokens.
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
        let response = request.send().await.context("the model cannot be reached")?;
        if !response.status().is_success() {
            bail!("the model refuses with {}: {}", response.status(), response.text().await?);
        }
        let (mut answer, mut chunks, mut length) = (ModelAnswer::default(), response.bytes_stream(), 0);
        while let Some(chunk) = chunks.next().await {
            let chunk = chunk.context("the model broke off")?;
            length += chunk.len();
            ensure!(length <= MAX_ANSWER_BYTES, "the model does not end");
            answer.feed(&chunk)?;
        }
        ensure!(answer.is_complete(), "the model broke off");
        Ok(answer)
    }
}
