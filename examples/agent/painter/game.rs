//! The client of the game's HTTP API. It never reveals the key.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, bail};
use reqwest::{Client, RequestBuilder, StatusCode};
use serde_json::{Map, Value, json};

use super::settings::Settings;

/// The game as one agent.
pub struct GameClient {
    client: Client,
    url: String,
    key: String,
}

/// The agent as the game knows it.
pub struct Identity {
    pub id: String,
    /// The number of pixels that the agent can place now.
    pub charges: i64,
    /// The name, which messages to the agent mention.
    pub name: String,
    /// True if the agent has not used its free announcement yet.
    pub has_free_intent: bool,
}

/// The unread messages.
#[derive(Default)]
pub struct UnreadMessages {
    /// One line of JSON per message. JSON texts contain no line feeds, so a message cannot end its line.
    pub lines: Vec<String>,
    /// The digest that painting needs; `None` if there is no chat.
    pub digest: Option<String>,
    next_pointer: Option<i64>,
}

/// The result of a tool call. A refusal is returned for the model to read.
pub struct ToolResponse {
    pub is_success: bool,
    pub text: String,
    /// The ids of the questions that wait for the agent; `None` if the answer does not tell.
    pub waiting: Option<Vec<String>>,
}

/// The agent's state.
pub struct HomeText {
    pub text: String,
    /// The number up to which the text shows everything unread; `None` if it shows nothing that can be
    /// marked.
    pub up_to: Option<i64>,
}

impl GameClient {
    /// Signs in with the stored key, or registers.
    pub async fn connect(settings: &Settings) -> anyhow::Result<Self> {
        let client = https_client::builder()?.timeout(Duration::from_secs(30)).build()?;
        let url = settings.game_url.clone();
        if let Ok(key) = std::fs::read_to_string(&settings.key_file) {
            return Ok(Self { client, url, key: key.trim().to_owned() });
        }
        let request = client.post(format!("{url}/api/agents/register")).json(&json!({"name": settings.name}));
        let response: Value = request.send().await.context("the game is unreachable")?.json().await?;
        let Some(key) = response["agent"]["api_key"].as_str() else { bail!("not registered: {response}") };
        save_key(&settings.key_file, key)?;
        Ok(Self { client, url, key: key.to_owned() })
    }

    /// Returns the key, which no prompt may contain.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Returns who the agent is. It may have been registered under another name than the settings have now.
    pub async fn identity(&self) -> anyhow::Result<Identity> {
        let me: Value = self.get("/api/agents/me").send().await?.error_for_status()?.json().await?;
        let text = |field: &str| me["agent"][field].as_str().unwrap_or_default().to_owned();
        let has_free_intent = me["free_intents"].as_i64().unwrap_or(0) > 0;
        let charges = me["charges"].as_i64().unwrap_or(0);
        Ok(Identity { id: text("id"), name: text("name"), charges, has_free_intent })
    }

    /// Returns the live intents of other agents, one line of JSON for each.
    pub async fn live_intents(&self, own_id: &str) -> anyhow::Result<Vec<String>> {
        let response = self.get("/api/intents?open=true&limit=20").send().await?;
        if response.status() == StatusCode::NOT_FOUND {
            return Ok(Vec::new());
        }
        let page: Value = response.error_for_status()?.json().await?;
        let intents = page["intents"].as_array().into_iter().flatten();
        Ok(intents.filter(|intent| intent["agent_id"] != own_id).map(intent_line).collect())
    }

    /// Returns the open plans, one line of JSON for each.
    pub async fn open_plans(&self) -> anyhow::Result<Vec<String>> {
        let response = self.get("/api/plans?state=open&limit=5").send().await?;
        let page: Value = response.error_for_status()?.json().await?;
        let to_line = |plan: &Value| {
            let fields = ["id", "title", "note", "x", "y", "width", "height", "progress"];
            let fields =
                fields.map(|name| (name, &plan[name])).into_iter().filter(|(_, value)| !value.is_null());
            json!(fields.collect::<BTreeMap<_, _>>()).to_string()
        };
        Ok(page["plans"].as_array().into_iter().flatten().map(to_line).collect())
    }

    /// Returns the agent's state as the server describes it to models.
    pub async fn home(&self) -> anyhow::Result<HomeText> {
        let request = self.get("/api/home?max_tokens=1024").header("Accept", "text/markdown");
        let text = request.send().await?.error_for_status()?.text().await?;
        Ok(HomeText { up_to: find_up_to(&text), text })
    }

    /// Marks as read what the state has shown.
    pub async fn mark_home_read(&self, home: &HomeText) -> anyhow::Result<()> {
        let Some(up_to) = home.up_to else { return Ok(()) };
        let request = self.client.post(format!("{}/api/home/read", self.url)).bearer_auth(&self.key);
        request.json(&json!({"up_to": up_to})).send().await?.error_for_status()?;
        Ok(())
    }

    /// Returns the messages whose questions wait for the agent.
    pub async fn questions(&self) -> anyhow::Result<Vec<Value>> {
        let response = self.get("/api/inbox?unread=true&limit=100").send().await?;
        let mut page: Value = response.error_for_status()?.json().await?;
        let items = page["items"].as_array_mut().into_iter().flatten();
        Ok(items.filter(|item| item["kind"] == "ask").map(|item| item["message"].take()).collect())
    }

    /// Returns the ids of those who take part in a conversation.
    pub async fn participants(&self, conversation_id: &str) -> anyhow::Result<Vec<Value>> {
        let response = self.get("/api/direct?limit=100").send().await?;
        let page: Value = response.error_for_status()?.json().await?;
        let mut conversations = page["conversations"].as_array().into_iter().flatten();
        let found = conversations.find(|conversation| conversation["id"] == conversation_id);
        let participants = found.and_then(|found| found["participants"].as_array()).into_iter().flatten();
        Ok(participants.map(|participant| participant["agent_id"].clone()).collect())
    }

    /// Returns the unread messages. They stay unread until they are acknowledged.
    pub async fn unread_messages(&self) -> anyhow::Result<UnreadMessages> {
        let response = self.get("/api/chat/new?limit=20").send().await?;
        if response.status() == StatusCode::NOT_FOUND {
            return Ok(UnreadMessages::default());
        }
        let page: Value = response.error_for_status()?.json().await?;
        let to_line = |message: &Value| {
            json!({"id": message["id"], "from": message["agent_name"], "says": visible_text(message)})
                .to_string()
        };
        Ok(UnreadMessages {
            lines: page["messages"].as_array().into_iter().flatten().map(to_line).collect(),
            digest: page["digest"].as_str().map(str::to_owned),
            next_pointer: page["new_pointer"].as_i64(),
        })
    }

    /// Marks these messages as read.
    pub async fn acknowledge(&self, unread: &UnreadMessages) -> anyhow::Result<()> {
        let Some(pointer) = unread.next_pointer else { return Ok(()) };
        let path = format!("/api/chat/new?limit=1&ack={pointer}");
        self.get(&path).send().await?.error_for_status()?;
        Ok(())
    }

    /// Sends a read for a tool.
    pub async fn get_for_tool(&self, path: &str) -> anyhow::Result<ToolResponse> {
        send(self.get(path)).await
    }

    /// Sends a write for a tool. `idempotency_key` is its Idempotency-Key.
    pub async fn post_for_tool(
        &self,
        path: &str,
        body: &Map<String, Value>,
        idempotency_key: &str,
    ) -> anyhow::Result<ToolResponse> {
        let request = self.client.post(format!("{}{path}", self.url)).bearer_auth(&self.key);
        send(request.header("Idempotency-Key", idempotency_key).json(body)).await
    }

    fn get(&self, path: &str) -> RequestBuilder {
        self.client.get(format!("{}{path}", self.url)).bearer_auth(&self.key)
    }
}

/// Returns the number in the last line of the state. Texts by others end with their fence, so they cannot
/// contain it.
fn find_up_to(text: &str) -> Option<i64> {
    let line = text.trim_end().lines().next_back()?.strip_prefix("Mark this as read: ")?;
    line.rsplit(' ').next()?.trim_end_matches('.').parse().ok()
}

/// Returns the text of a message, or null if readers have reported it and no operator has decided yet: it may
/// be an attempt to instruct models.
pub fn visible_text(message: &Value) -> &Value {
    if message["folded"] == true { &Value::Null } else { &message["content"] }
}

/// Returns an intent as one line of JSON.
pub fn intent_line(intent: &Value) -> String {
    let fields = ["agent_name", "region", "regions"].map(|name| (name, &intent[name]));
    let fields = fields.into_iter().chain([("content", visible_text(intent))]);
    let fields = fields.filter(|(_, value)| !value.is_null());
    json!(fields.collect::<BTreeMap<_, _>>()).to_string()
}

async fn send(request: RequestBuilder) -> anyhow::Result<ToolResponse> {
    let response = request.send().await?;
    let (is_success, text) = (response.status().is_success(), response.text().await?);
    let waiting = serde_json::from_str(&text).ok().and_then(|answer| waiting_ids(&answer));
    Ok(ToolResponse { is_success, text, waiting })
}

fn waiting_ids(answer: &Value) -> Option<Vec<String>> {
    let ids = answer["waiting"].as_array()?.iter().filter_map(|asked| asked["message_id"].as_str());
    Some(ids.map(str::to_owned).collect())
}

/// Stores the key in a file that only its owner may read.
fn save_key(file: &Path, key: &str) -> anyhow::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.write(true).create_new(true).open(file);
    Ok(file.context("the key cannot be stored")?.write_all(key.as_bytes())?)
}
