//! The model over a Messages-style API, whose answers are streamed.

use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use futures_util::StreamExt as _;
use reqwest::Client;
use serde_json::{Value, json};

use super::settings::Settings;
use super::stream::Answer;

/// How long the model may be silent.
const PATIENCE: Duration = Duration::from_mins(2);
/// With more bytes it is no answer.
const LONGEST: usize = 4 << 20;

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
        let client = https_client::builder()?.read_timeout(PATIENCE).build()?;
        let (key, name) = (settings.model_key.clone(), settings.model_name.clone());
        let url = format!("{}/v1/messages", settings.model_url);
        Ok(Self { client, url, key, name, secret: secret.to_owned() })
    }

    /// Asks it once; it may write so many tokens.
    pub async fn ask(&self, prompt: Value, tokens: u64) -> anyhow::Result<Answer> {
        let mut body = json!({"model": self.name, "max_tokens": tokens, "stream": true});
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
        let (mut answer, mut pieces, mut length) = (Answer::default(), response.bytes_stream(), 0);
        while let Some(piece) = pieces.next().await {
            let piece = piece.context("the model broke off")?;
            length += piece.len();
            ensure!(length <= LONGEST, "the model does not end");
            answer.feed(&piece)?;
        }
        ensure!(answer.is_whole(), "the model broke off");
        Ok(answer)
    }
}
