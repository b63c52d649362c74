//! The real binary as a process of its own with its private PostgreSQL, for tests that kill it.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use reqwest::Client;
use rustix::process::Signal;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use super::Reply;
use super::postmaster::{database_url, end_postgres, postmaster_in, signal};

/// Timeout for a start with a new database on a busy machine.
const START_TIMEOUT: Duration = super::WAIT_LIMIT;
/// Interval between looks whether a server is ready.
const READY_INTERVAL: Duration = Duration::from_millis(20);
/// Timeout for the end of a server.
const EXIT_TIMEOUT: Duration = super::WAIT_LIMIT;

/// The time after which a server that was told to stop has ended: the five seconds that it waits for open
/// requests, with much for a machine that is busy with other things.
pub const MAX_SHUTDOWN_TIME: Duration = Duration::from_mins(1);

/// Number of bytes of the log's end that a failing test shows.
const MAX_SHOWN_LOG_CHARS: usize = 4_000;

/// A server process and its data. The server and its PostgreSQL are stopped when this is dropped.
pub struct Process {
    /// The data folder.
    pub data: PathBuf,
    settings: Vec<(String, String)>,
    /// The limit of open files; `None` if it is the limit of the tests.
    max_open_files: Option<u32>,
    /// The temporary folder with the data, deleted with this value.
    _folder: Option<TempDir>,
    child: Child,
    reader: Option<JoinHandle<()>>,
    /// `http://127.0.0.1:PORT`.
    pub base_url: String,
    pub client: Client,
    log: Log,
}

type Log = Arc<Mutex<String>>;

impl Process {
    /// Starts on a new folder, without limits for agents.
    pub async fn start() -> Self {
        Self::start_with(&[]).await
    }

    /// Starts on a new folder with these additional settings.
    pub async fn start_with(settings: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self::start_in(folder.path().join("data"), Some(folder), settings).await
    }

    /// Starts on a new folder with these additional settings and this limit of open files.
    pub async fn start_with_max_open_files(descriptors: u32, settings: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self::start_process(folder.path().join("data"), Some(folder), settings, Some(descriptors)).await
    }

    /// Starts on a data folder that may exist already.
    pub async fn start_in(data: PathBuf, folder: Option<TempDir>, settings: &[(&str, &str)]) -> Self {
        Self::start_process(data, folder, settings, None).await
    }

    async fn start_process(
        data: PathBuf,
        folder: Option<TempDir>,
        settings: &[(&str, &str)],
        descriptors: Option<u32>,
    ) -> Self {
        let to_owned_pair = |(name, value): &(&str, &str)| (name.to_string(), value.to_string());
        let settings: Vec<_> = settings.iter().map(to_owned_pair).collect();
        let child = launch(&data, &settings, descriptors);
        let client = https_client::builder().unwrap().build().unwrap();
        let (base, log) = (String::new(), Log::default());
        // Created before the wait, so that a failed start leaves no PostgreSQL running.
        let mut process = Self {
            data,
            settings,
            max_open_files: descriptors,
            _folder: folder,
            child,
            reader: None,
            base_url: base,
            client,
            log,
        };
        process.wait_until_ready().await;
        process
    }

    /// Waits until the server logs its address and is ready.
    async fn wait_until_ready(&mut self) {
        self.wait_until_listening().await;
        let ready = async {
            while !self.client.get(self.url("/readyz")).send().await.is_ok_and(|it| it.status().is_success())
            {
                sleep(READY_INTERVAL).await;
            }
        };
        timeout(START_TIMEOUT, ready).await.expect("the server did not become ready");
    }

    async fn wait_until_listening(&mut self) {
        let mut lines = BufReader::new(self.child.stderr.take().unwrap()).lines();
        let log = self.log.clone();
        let address = async {
            loop {
                let line = lines.next_line().await.unwrap().expect("the server ended");
                append_line(&log, &line);
                if let Some((_, address)) = line.split_once("page:") {
                    let address = address.trim().split('"').next().unwrap();
                    return address.trim_end_matches('/').to_owned();
                }
            }
        };
        self.base_url = timeout(START_TIMEOUT, address).await.expect("the server did not start");
        self.reader = Some(tokio::spawn(async move {
            while let Ok(Some(line)) = lines.next_line().await {
                append_line(&log, &line);
            }
        }));
    }

    /// Returns the server's log so far.
    pub fn log(&self) -> String {
        self.log.lock().clone()
    }

    /// Returns the address of the private database.
    pub fn database_url(&self) -> String {
        database_url(&self.data)
    }

    /// Restarts the server on the same folder after it has ended.
    pub async fn restart(&mut self) {
        self.child.wait().await.unwrap();
        self.child = launch(&self.data, &self.settings, self.max_open_files);
        self.wait_until_ready().await;
    }

    /// Runs `caraplace check` on the same folder. Returns its exit code and output.
    pub async fn check(&self) -> (i32, String) {
        let output =
            command(Command::new(PROGRAM), &self.data, &self.settings).arg("check").output().await.unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
    }

    /// Returns the number of the server's process.
    pub fn pid(&self) -> u32 {
        self.child.id().unwrap()
    }

    /// Kills the server only.
    pub fn kill(&self) {
        signal(self.pid(), Signal::KILL);
    }

    /// Tells the server to stop.
    pub fn request_stop(&self) {
        signal(self.pid(), Signal::TERM);
    }

    /// Closes the pipe of the server's log.
    pub async fn stop_reading_log(&mut self) {
        let reader = self.reader.take().unwrap();
        reader.abort();
        let _ = reader.await;
    }

    /// Waits until a server that was told to stop has ended. Returns its exit code.
    pub async fn exit_code(&mut self) -> Option<i32> {
        timeout(EXIT_TIMEOUT, self.child.wait()).await.expect("the server did not end").unwrap().code()
    }

    /// Kills the private PostgreSQL's postmaster.
    pub fn kill_postmaster(&self) {
        signal(self.postmaster_pid().unwrap(), Signal::KILL);
    }

    /// Returns the number of the private PostgreSQL's postmaster; `None` if it does not run.
    pub fn postmaster_pid(&self) -> Option<u32> {
        postmaster_in(&self.data)
    }

    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base_url)
    }

    pub async fn get(&self, path: &str) -> Reply {
        Reply::fetch(self.client.get(self.url(path))).await
    }

    pub async fn post_with_key(&self, key: &str, path: &str, body: Value) -> Reply {
        Reply::fetch(self.client.post(self.url(path)).bearer_auth(key).json(&body)).await
    }

    /// Registers an agent with this name. Returns its key.
    pub async fn register_agent(&self, name: &str) -> String {
        let request = self.client.post(self.url("/api/agents/register")).json(&json!({"name": name}));
        let new = Reply::fetch(request).await.assert_status(201);
        new["agent"]["api_key"].as_str().unwrap().to_owned()
    }

    pub fn address(&self) -> SocketAddr {
        self.base_url.strip_prefix("http://").unwrap().parse().unwrap()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The server is killed first, because it would restart its PostgreSQL.
        let _ = self.child.start_kill();
        while matches!(self.child.try_wait(), Ok(None)) {
            std::thread::sleep(Duration::from_millis(5));
        }
        end_postgres(&self.data);
        if std::thread::panicking() {
            let log = self.log.lock();
            let last = log.char_indices().rev().nth(MAX_SHOWN_LOG_CHARS).map_or(0, |(at, _)| at);
            eprintln!("the server's last words: …{}", &log[last..]);
        }
    }
}

const PROGRAM: &str = env!("CARGO_BIN_EXE_caraplace");

/// Returns a command that lowers its own limit of open files and then becomes the program.
fn command_with_max_open_files(descriptors: u32) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -n \"$1\" && exec \"$2\"", "sh", &descriptors.to_string(), PROGRAM]);
    command
}

/// Adds the settings of all these tests to a command.
fn command(mut command: Command, data: &Path, settings: &[(String, String)]) -> Command {
    command
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("CARAPLACE_DATA_DIR", data)
        .env("CARAPLACE_LISTEN", "127.0.0.1:0")
        .env("CARAPLACE_CHARGE_SECONDS", "0")
        .env("CARAPLACE_PIXELS_PER_MESSAGE", "0")
        .env("CARAPLACE_MESSAGE_SECONDS", "0")
        .env("CARAPLACE_REQUESTS_PER_MINUTE", "0")
        .env("CARAPLACE_MESSAGES_PER_IP_PER_MINUTE", "0")
        .env("CARAPLACE_REGISTRATIONS_PER_IP_PER_DAY", "0")
        .env("CARAPLACE_STREAMS_PER_IP", "0")
        .env("CARAPLACE_ANNOUNCE_AGENTS", "false")
        .envs(settings.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    command
}

/// Starts a server that writes only to its log.
fn launch(data: &Path, settings: &[(String, String)], descriptors: Option<u32>) -> Child {
    let program = descriptors.map_or_else(|| Command::new(PROGRAM), command_with_max_open_files);
    command(program, data, settings).stdout(Stdio::null()).spawn().unwrap()
}

fn append_line(log: &Log, line: &str) {
    let mut log = log.lock();
    log.push_str(line);
    log.push('\n');
}
