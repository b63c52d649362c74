//! A server under load: the real program with a private PostgreSQL of its own, both stopped when dropped.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use reqwest::{Client, Response};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::process_usage;

/// Settings that disable limits and intervals. Every check still runs.
const SETTINGS: [(&str, &str); 11] = [
    ("CARAPLACE_MAX_CHARGES", "1000000"),
    ("CARAPLACE_CHARGE_SECONDS", "0"),
    ("CARAPLACE_PIXELS_PER_MESSAGE", "0"),
    ("CARAPLACE_MESSAGE_SECONDS", "0"),
    ("CARAPLACE_DIGEST_SECONDS", "3600"),
    ("CARAPLACE_REGISTRATIONS_PER_IP_PER_DAY", "0"),
    ("CARAPLACE_ANNOUNCE_AGENTS", "false"),
    ("CARAPLACE_REQUESTS_PER_MINUTE", "1000000000"),
    ("CARAPLACE_STREAMS_PER_IP", "0"),
    ("CARAPLACE_MESSAGES_PER_IP_PER_MINUTE", "0"),
    ("RUST_LOG", "warn"),
];

/// Maximum number of concurrent registrations.
const MAX_CONCURRENT_REGISTRATIONS: usize = 8;

/// A running server.
pub struct Server {
    /// The address without a slash at the end.
    pub url: String,
    pub client: Client,
    process: Child,
    folder: PathBuf,
    _parent: TempDir,
}

impl Server {
    /// Starts on an empty log with these additional settings.
    pub async fn start(settings: &[(&str, &str)]) -> Result<Self> {
        let parent = tempfile::tempdir()?;
        let folder = parent.path().join("data");
        let (url, process) = spawn(&folder, settings)?;
        let client = https_client::builder()?.build()?;
        let server = Self { url, client, process, folder, _parent: parent };
        server.wait_until_ready().await?;
        Ok(server)
    }

    /// Restarts the server on the same log. Returns the seconds until it was ready.
    pub async fn restart(&mut self, settings: &[(&str, &str)]) -> Result<f64> {
        self.stop();
        let started_at = platform::clock::monotonic_now();
        (self.url, self.process) = spawn(&self.folder, settings)?;
        self.wait_until_ready().await?;
        Ok(started_at.elapsed().as_secs_f64())
    }

    /// Registers agents and returns their keys.
    pub async fn register(&self, count: usize) -> Result<Vec<String>> {
        let register = |number: usize| async move {
            let name = format!("Bench {number}");
            let request =
                self.client.post(format!("{}/api/agents/register", self.url)).json(&json!({"name": name}));
            let body: Value = ensure_success(request.send().await?).await?.json().await?;
            Ok(body["agent"]["api_key"].as_str().context("the response has no key")?.to_owned())
        };
        stream::iter(0..count)
            .map(register)
            .buffer_unordered(MAX_CONCURRENT_REGISTRATIONS)
            .try_collect()
            .await
    }

    /// Returns the digest that agents need for painting.
    pub async fn digest(&self) -> Result<String> {
        let body: Value = self.get("/api/chat/digest").await?.json().await?;
        Ok(body["digest"].as_str().context("the response has no digest")?.to_owned())
    }

    /// Returns the number of the newest event.
    pub async fn head(&self) -> Result<i64> {
        let text = self.get("/metrics").await?.text().await?;
        let head = text.lines().find_map(|line| line.strip_prefix("caraplace_log_head "));
        head.and_then(|head| head.parse::<f64>().ok())
            .map(|head| head as i64)
            .context("the metrics have no log head")
    }

    /// Returns a successful response.
    pub async fn get(&self, path: &str) -> Result<Response> {
        ensure_success(self.client.get(format!("{}{path}", self.url)).send().await?).await
    }

    /// Posts a message.
    pub async fn post_message(&self, key: &str, content: &str) -> Result<()> {
        self.post_json("/api/chat", key, &json!({"content": content})).await.map(|_| ())
    }

    /// Posts a body and returns that of the successful response.
    pub async fn post_json(&self, path: &str, key: &str, body: &Value) -> Result<Value> {
        let request = self.client.post(format!("{}{path}", self.url)).bearer_auth(key).json(body);
        Ok(ensure_success(request.send().await?).await?.json().await?)
    }

    /// Returns the CPU time of the server and of its database so far, in seconds.
    pub fn cpu_seconds(&self) -> (f64, f64) {
        let database = self.postmaster_pid().map_or(0.0, process_usage::cpu_seconds);
        (process_usage::cpu_seconds(self.process.id()), database)
    }

    /// Returns the number of the server's process.
    pub fn pid(&self) -> u32 {
        self.process.id()
    }

    /// Returns the address of its database.
    pub fn database_url(&self) -> Result<String> {
        Ok(fs::read_to_string(self.folder.join("database_url"))?.trim().to_owned())
    }

    /// Returns the folder of its database.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn postmaster_pid(&self) -> Option<u32> {
        let pid = fs::read_to_string(self.folder.join("postgres/postmaster.pid"));
        pid.ok()?.lines().next()?.trim().parse().ok()
    }

    async fn wait_until_ready(&self) -> Result<()> {
        for _ in 0..3_000 {
            if self.get("/readyz").await.is_ok() {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        bail!("the server did not become ready")
    }

    fn stop(&mut self) {
        let _ = Command::new("kill").arg(self.process.id().to_string()).status();
        let _ = self.process.wait();
        // The server leaves PostgreSQL running if this benchmark still has a connection to it.
        if let Some(postmaster) = self.postmaster_pid() {
            let _ = Command::new("kill").args(["-INT", &postmaster.to_string()]).status();
            let file = self.folder.join("postgres/postmaster.pid");
            (0..2_000)
                .take_while(|_| file.exists())
                .for_each(|_| std::thread::sleep(Duration::from_millis(5)));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

fn spawn(folder: &PathBuf, settings: &[(&str, &str)]) -> Result<(String, Child)> {
    let port = free_port()?;
    let child = Command::new(env!("CARGO_BIN_EXE_caraplace"))
        .envs(SETTINGS)
        .envs(settings.iter().copied())
        .env_remove("DATABASE_URL")
        .env("CARAPLACE_DATA_DIR", folder)
        .env("CARAPLACE_LISTEN", format!("127.0.0.1:{port}"))
        .stdin(Stdio::null())
        .spawn()?;
    Ok((format!("http://127.0.0.1:{port}"), child))
}

/// Returns a port that was free at the time of the call.
pub fn free_port() -> Result<u16> {
    Ok(std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

async fn ensure_success(response: Response) -> Result<Response> {
    let status = response.status();
    if status.is_success() {
        return Ok(response);
    }
    bail!("{status}: {}", response.text().await.unwrap_or_default())
}
