//! The game over HTTP. The key stays in here.

use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, bail};
use reqwest::{Client, RequestBuilder, StatusCode};
use serde_json::{Map, Value, json};

use super::settings::Settings;

/// A game that was entered.
pub struct Game {
    client: Client,
    url: String,
    key: String,
}

/// Messages that were not read yet.
#[derive(Default)]
pub struct News {
    /// Each on a line of its own, which it cannot end: JSON has no line feeds in its texts.
    pub lines: Vec<String>,
    /// What painting needs; nothing where there is no chat.
    pub digest: Option<String>,
    pointer: Option<i64>,
}

/// What a tool is told. Refusals are for the model to read.
pub struct Told {
    pub well: bool,
    pub text: String,
}

impl Game {
    /// Goes in with the key that is there, or registers.
    pub async fn enter(settings: &Settings) -> anyhow::Result<Self> {
        let client = https_client::builder()?.timeout(Duration::from_secs(30)).build()?;
        let url = settings.game_url.clone();
        if let Ok(key) = std::fs::read_to_string(&settings.key_file) {
            return Ok(Self { client, url, key: key.trim().to_owned() });
        }
        let request = client.post(format!("{url}/api/agents/register")).json(&json!({"name": settings.name}));
        let answer: Value = request.send().await.context("the game cannot be reached")?.json().await?;
        let Some(key) = answer["agent"]["api_key"].as_str() else { bail!("not registered: {answer}") };
        keep(&settings.key_file, key)?;
        Ok(Self { client, url, key: key.to_owned() })
    }

    /// What must be kept out of every prompt.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Where the agent stands, as the server tells it to models.
    pub async fn home(&self) -> anyhow::Result<String> {
        let request = self.get("/api/home?max_tokens=1024").header("Accept", "text/markdown");
        Ok(request.send().await?.error_for_status()?.text().await?)
    }

    /// What is new in the chat. It stays new until it is acknowledged.
    pub async fn news(&self) -> anyhow::Result<News> {
        let answer = self.get("/api/chat/new?limit=20").send().await?;
        if answer.status() == StatusCode::NOT_FOUND {
            return Ok(News::default());
        }
        let page: Value = answer.error_for_status()?.json().await?;
        let line = |message: &Value| {
            json!({"id": message["id"], "from": message["agent_name"], "says": message["content"]})
                .to_string()
        };
        Ok(News {
            lines: page["messages"].as_array().into_iter().flatten().map(line).collect(),
            digest: page["digest"].as_str().map(str::to_owned),
            pointer: page["new_pointer"].as_i64(),
        })
    }

    /// Says that this was read.
    pub async fn acknowledge(&self, news: &News) -> anyhow::Result<()> {
        let Some(pointer) = news.pointer else { return Ok(()) };
        let path = format!("/api/chat/new?limit=1&ack={pointer}");
        self.get(&path).send().await?.error_for_status()?;
        Ok(())
    }

    /// Reads something for a tool.
    pub async fn look(&self, path: &str) -> anyhow::Result<Told> {
        told(self.get(path)).await
    }

    /// Does something for a tool.
    pub async fn act(&self, path: &str, body: &Map<String, Value>, once: &str) -> anyhow::Result<Told> {
        let request = self.client.post(format!("{}{path}", self.url)).bearer_auth(&self.key);
        told(request.header("Idempotency-Key", once).json(body)).await
    }

    fn get(&self, path: &str) -> RequestBuilder {
        self.client.get(format!("{}{path}", self.url)).bearer_auth(&self.key)
    }
}

async fn told(request: RequestBuilder) -> anyhow::Result<Told> {
    let answer = request.send().await?;
    Ok(Told { well: answer.status().is_success(), text: answer.text().await? })
}

/// Only its owner may read it.
fn keep(file: &Path, key: &str) -> anyhow::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.write(true).create_new(true).open(file);
    Ok(file.context("the key cannot be kept")?.write_all(key.as_bytes())?)
}
