//! Runs `caraplace admin`, the real program, on a server's database.

use std::process::Stdio;

use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

use super::Server;

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
