//! Signing in with the protocol's official client.

use std::path::Path;
use std::process::Stdio;

use tokio::process::Command;

use crate::support::Server;

#[tokio::test(flavor = "multi_thread")]
async fn official_client_signs_in_and_refreshes_without_a_header_set_by_hand() {
    let server = Server::start().await;
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let run = Command::new(root.join("target/tools/bin/python"))
        .arg(root.join("tests/mcp/sign_in.py"))
        .env("CARAPLACE_MCP", server.url("/mcp"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    let run = run.await.expect("the client is missing: run the tests with `make test`");
    let (stdout, stderr) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    assert!(run.status.success(), "{stdout}{stderr}");
    assert_eq!(stdout.trim(), "signed in: 2025-11-25, 2026-07-28");
    assert_eq!(server.get("/api/stats").await.body["pixels"], 2);
}
