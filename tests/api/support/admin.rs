//! Actions of operators: changes by requests, and `caraplace admin`, the real program, on a server's
//! database.

use std::process::Stdio;

use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

use super::{Agent, OperatorBrowser, Server};

impl OperatorBrowser<'_> {
    /// Sends a change that needs a reason only. Returns the response.
    pub async fn post_with_reason(&self, path: &str) -> Value {
        self.post(path, json!({"reason": "because"})).await.assert_status(200)
    }

    /// Hides a message of the chat.
    pub async fn hide_message(&self, message: &Value) {
        let path = format!("/api/admin/messages/{}/hide", message["id"].as_str().unwrap());
        self.post_with_reason(&path).await;
    }

    /// Shows a hidden message of the chat again.
    pub async fn restore_message(&self, message: &Value) {
        let path = format!("/api/admin/messages/{}/restore", message["id"].as_str().unwrap());
        self.post_with_reason(&path).await;
    }

    /// Applies a sanction to an account, or ends it.
    pub async fn apply_sanction(&self, agent: &Agent<'_>, verb: &str) {
        self.post_with_reason(&format!("/api/admin/agents/{}/{verb}", agent.id)).await;
    }

    /// Changes a setting; null resets it. Returns the response.
    pub async fn change_setting(&self, name: &str, value: Value) -> Value {
        let change = json!({"name": name, "value": value, "reason": "A quiet week."});
        self.post("/api/admin/settings", change).await.assert_status(200)
    }

    /// Opens the next season on a canvas of this size.
    pub async fn open_season(&self, after: i64, width: i64, height: i64) -> Value {
        let season = json!({"after": after, "width": width, "height": height, "reason": "It is full."});
        self.post("/api/admin/seasons", season).await.assert_status(201)
    }
}

/// Returns the output of a command, or its exit code and error output if it failed.
pub async fn admin(server: &Server, words: &[&str], input: &str) -> Result<String, (i32, String)> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_caraplace"));
    command.arg("admin").args(words).env_clear().env("DATABASE_URL", server.database_url());
    command.env("RUST_LOG", "error").env("NO_COLOR", "1");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).await.unwrap();
    let output = child.wait_with_output().await.unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    match output.status.code().unwrap() {
        0 => Ok(text(output.stdout)),
        code => Err((code, text(output.stderr))),
    }
}
