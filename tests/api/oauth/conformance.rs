//! The scenarios that the protocol's conformance tests have for authorization servers.

use std::net::TcpListener;
use std::path::Path;
use std::process::Stdio;

use reqwest::redirect::Policy;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::Command;
use tokio::time::timeout;

use super::browser::Browser;
use super::flow::register;
use crate::support::Server;
use crate::support::WAIT_LIMIT;

const SUITE_PATH: &str = "target/tools/mcp/node_modules/@modelcontextprotocol/conformance/dist/index.js";
/// Every check of the suite. The last one is not offered here: the server would fetch any address that a
/// stranger names.
const EXPECTED_CHECKS: [(&str, &str); 3] = [
    ("authorization-code-grant", "SUCCESS"),
    ("authorization-server-metadata", "SUCCESS"),
    ("authorization-server-metadata-cimd", "WARNING"),
];

/// Returns the checks in the files below a folder, with their results.
fn read_checks(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in folder.read_dir().unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(read_checks(&path));
        } else if path.ends_with("checks.json") {
            let checks: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
            let text = |check: &Value, name: &str| check[name].as_str().unwrap().to_owned();
            found.extend(checks.as_array().unwrap().iter().map(|one| (text(one, "id"), text(one, "status"))));
        }
    }
    found.sort();
    found
}

/// Returns a port that is free now. The suite cannot choose one itself.
fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

#[tokio::test(flavor = "multi_thread")]
async fn authorization_scenarios_pass_but_for_metadata_that_the_server_would_fetch() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let client = register(&server, json!({"redirect_uris": ["http://127.0.0.1/callback"]})).await.body;
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().unwrap();
    let path = format!("{}/target/tools/bin:{}", root.display(), std::env::var("PATH").unwrap());
    let mut suite = Command::new("node")
        .arg(root.join(SUITE_PATH))
        .args([
            "authorization",
            "--url",
            &server.url(""),
            "--client-id",
            client["client_id"].as_str().unwrap(),
        ])
        .args(["--port", &free_port().to_string(), "--spec-version", "2025-11-25", "--output-dir"])
        .arg(folder.path())
        .env("PATH", path)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("the suite is missing: run the tests with `make test`");
    let mut lines = BufReader::new(suite.stdout.take().unwrap()).lines();
    let mut shown = String::new();
    while let Some(line) = lines.next_line().await.unwrap() {
        shown += &format!("{line}\n");
        if line.contains("/oauth/authorize?") {
            let mut browser = Browser::new();
            let page = browser.open(line.trim()).await;
            let done = browser.submit(&page, &[("answer", "use"), ("key", &ada.key)]).await;
            let client = https_client::builder().unwrap().redirect(Policy::none()).build().unwrap();
            let location = done.reply.header("location").to_owned();
            // The suite shows the address before it listens.
            let return_to_suite = async { while client.get(&location).send().await.is_err() {} };
            timeout(WAIT_LIMIT, return_to_suite).await.expect("the suite does not listen");
        }
    }
    suite.wait().await.unwrap();
    let expected: Vec<_> =
        EXPECTED_CHECKS.iter().map(|(id, status)| ((*id).to_owned(), (*status).to_owned())).collect();
    assert_eq!(read_checks(folder.path()), expected, "{shown}");
}
