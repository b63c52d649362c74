//! A canvas with something to see: simulated agents paint a picture on it and talk about it.

use std::process::Stdio;

use anyhow::{Result, ensure};
use tokio::process::{Child, Command};

use crate::server::Server;

/// The first argument with which this benchmark runs as `swarm`.
pub const SWARM_ARGUMENT: &str = "swarm";
const AGENTS: &str = "24";

/// Lets a crowd paint for so many seconds; they are done when this returns.
pub async fn start_placements(server: &Server, seconds: u32) -> Result<()> {
    let status = start_swarm(server, seconds)?.wait().await?;
    ensure!(status.success(), "the crowd failed: {status}");
    Ok(())
}

/// The crowd at work; it ends when dropped.
pub fn start_swarm(server: &Server, seconds: u32) -> Result<Child> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args([
        SWARM_ARGUMENT,
        "--url",
        &server.url,
        "--agents",
        AGENTS,
        "--seconds",
        &seconds.to_string(),
    ]);
    Ok(command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true).spawn()?)
}
