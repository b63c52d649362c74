//! The program itself: servers and commands on one data folder.

use std::path::Path;
use std::process::{Output, Stdio};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use reqwest::{Client, StatusCode};
use rustix::process::Signal;
use serde_json::json;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::postmaster::signal;
use crate::support::{TestFolder, eventually};

const EXIT_TIMEOUT: Duration = Duration::from_mins(1);

fn program_command(settings: &[(&str, &str)]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_caraplace"));
    command
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("CARAPLACE_LISTEN", "127.0.0.1:0")
        .envs(settings.iter().copied())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    command
}

/// The program, running as a server.
struct Server {
    child: Child,
    base_url: String,
    log: Arc<Mutex<String>>,
    reader: JoinHandle<()>,
}

impl Server {
    async fn start(settings: &[(&str, &str)]) -> Self {
        let mut server = Self::spawn(settings);
        let base_url = eventually(|| async {
            let log = server.log.lock().clone();
            let address = log.split_once("page:     ")?.1.split_whitespace().next()?.to_owned();
            Some(address.trim_end_matches('/').to_owned())
        });
        server.base_url = base_url.await;
        server
    }

    /// Starts a server without waiting until it is ready.
    fn spawn(settings: &[(&str, &str)]) -> Self {
        let mut child = program_command(settings).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let log = Arc::new(Mutex::new(String::new()));
        let reader_log = log.clone();
        let reader = tokio::spawn(async move {
            while let Ok(Some(line)) = lines.next_line().await {
                reader_log.lock().push_str(&(line + "\n"));
            }
        });
        Self { child, base_url: String::new(), log, reader }
    }

    /// Asserts that a registration through it succeeds.
    async fn assert_accepts_writes(&self, name: &str) {
        let client: Client = https_client::builder().unwrap().build().unwrap();
        let url = format!("{}/api/agents/register", self.base_url);
        let response = client.post(url).json(&json!({"name": name})).send().await.unwrap();
        assert_eq!(response.status(), StatusCode::CREATED);
    }

    fn request_stop(&self) {
        signal(self.child.id().unwrap(), Signal::TERM);
    }

    /// Waits until it has ended and its log is complete. Returns its exit code.
    async fn wait_for_exit(&mut self) -> Option<i32> {
        let status =
            timeout(EXIT_TIMEOUT, self.child.wait()).await.expect("the process did not end").unwrap();
        (&mut self.reader).await.unwrap();
        status.code()
    }
}

async fn admin_audit(data: &str) -> Output {
    let output =
        program_command(&[("CARAPLACE_DATA_DIR", data)]).args(["admin", "audit"]).output().await.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

fn path_str(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[tokio::test]
async fn command_does_not_stop_the_database_of_a_running_server() {
    let folder = TestFolder::new();
    let data = folder.data();
    let mut first = Server::start(&[("CARAPLACE_DATA_DIR", path_str(&data))]).await;
    let mut second = Server::start(&[("DATABASE_URL", &folder.written_url())]).await;
    let pid = folder.postmaster_pid();
    first.child.kill().await.unwrap();

    let stderr = String::from_utf8(admin_audit(path_str(&data)).await.stderr).unwrap();
    assert!(stderr.contains("PostgreSQL is left running"), "{stderr}");
    assert_eq!(folder.running_pid(), Some(pid));
    second.assert_accepts_writes("Ada").await;

    second.request_stop();
    assert_eq!(second.wait_for_exit().await, Some(0));
    assert_eq!(folder.running_pid(), None, "{}", second.log.lock());
}

#[tokio::test]
async fn stopping_server_leaves_the_database_to_another_server_using_it() {
    let folder = TestFolder::new();
    let data = folder.data();
    let mut first = Server::start(&[("CARAPLACE_DATA_DIR", path_str(&data))]).await;
    let second = Server::start(&[("DATABASE_URL", &folder.written_url())]).await;
    first.request_stop();
    assert_eq!(first.wait_for_exit().await, Some(0));
    eventually(|| async { first.log.lock().contains("PostgreSQL is left running").then_some(()) }).await;
    second.assert_accepts_writes("Bob").await;
}

#[tokio::test]
async fn server_stopped_during_start_leaves_no_process() {
    let folder = TestFolder::new();
    folder.start().await.stop().await.unwrap();
    let data = folder.data();
    let mut server = Server::spawn(&[("CARAPLACE_DATA_DIR", path_str(&data))]);
    eventually(|| async { folder.running_pid() }).await;
    server.request_stop();
    assert_eq!(server.wait_for_exit().await, Some(0));
    assert_eq!(folder.running_pid(), None);
}

#[tokio::test]
async fn command_stopped_during_start_leaves_no_process() {
    let folder = TestFolder::new();
    folder.start().await.stop().await.unwrap();
    let data = folder.data();
    let mut check = program_command(&[("CARAPLACE_DATA_DIR", path_str(&data))]).arg("check").spawn().unwrap();
    eventually(|| async { folder.running_pid() }).await;
    signal(check.id().unwrap(), Signal::TERM);
    let status = timeout(EXIT_TIMEOUT, check.wait()).await.expect("the process did not end").unwrap();
    assert!(status.code().is_some(), "it did not end by itself: {status}");
    assert_eq!(folder.running_pid(), None);
}

#[tokio::test]
async fn log_never_contains_the_password() {
    let folder = TestFolder::new();
    let data = folder.data();
    let settings = [("CARAPLACE_DATA_DIR", path_str(&data)), ("RUST_LOG", "trace")];
    let mut server = Server::start(&settings).await;
    server.assert_accepts_writes("Cleo").await;
    let url = folder.written_url();
    let audit_output = admin_audit(path_str(&data)).await;
    server.request_stop();
    assert_eq!(server.wait_for_exit().await, Some(0));
    let password = url.split([':', '@']).nth(2).unwrap();
    let log = [server.log.lock().as_bytes(), &audit_output.stdout, &audit_output.stderr].concat();
    assert!(!String::from_utf8_lossy(&log).contains(password));
    let invalid_url = url.replace("postgres://", "postgre://").replace("localhost", "no host");
    let output =
        program_command(&[("DATABASE_URL", &invalid_url), ("RUST_LOG", "trace")]).output().await.unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(!String::from_utf8_lossy(&output.stderr).contains(password));
}
