//! A canvas with content: simulated agents paint a picture on it and chat about it.

use std::process::Stdio;

use anyhow::{Result, ensure};
use tokio::process::{Child, Command};

use crate::server::Server;

/// The first argument with which this benchmark runs as `swarm`.
pub const SWARM_ARGUMENT: &str = "swarm";
const AGENTS: &str = "24";

/// Lets simulated agents paint for this number of seconds, and waits until they are done.
pub async fn start_placements(server: &Server, seconds: u32) -> Result<()> {
    let status = start_swarm(server, seconds)?.wait().await?;
    ensure!(status.success(), "the simulated agents failed: {status}");
    Ok(())
}

/// Starts simulated agents. They stop when this is dropped.
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
