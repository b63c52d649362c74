//! Placements while a hundred tools wait, compared with placements while none does.

use std::time::Duration;

use anyhow::Result;
use reqwest::Client;
use serde_json::json;
use tokio::task::JoinSet;

use super::single_load::{CONNECTIONS, SingleLoad};
use crate::RunOptions;
use crate::server::Server;
use crate::table::{Table, Threshold};

const PAINTERS: usize = 100;
const WAITING_TOOLS: usize = 100;
/// The time in which all tools begin to wait.
const SETTLE_TIME: Duration = Duration::from_millis(500);

/// Measures both in turn, on the same server.
pub async fn run(options: RunOptions, table: &mut Table) -> Result<()> {
    let server = Server::start(&[("CARAPLACE_SYSTEM_MESSAGES", "false")]).await?;
    let keys = server.register(PAINTERS + WAITING_TOOLS).await?;
    let (painters, waiting) = keys.split_at(PAINTERS);
    let (mut with, mut without) = (SingleLoad::default(), SingleLoad::default());
    for _ in 0..options.rounds {
        without.measure(&server, painters, options).await?;
        let calls = start_waits(&server, waiting).await;
        with.measure(&server, painters, options).await?;
        drop(calls);
    }
    let name = format!("placements while {WAITING_TOOLS} tools wait, {CONNECTIONS} connections");
    table.add(with.row(name, ("no tool waits", without), Threshold::Ratio(0.95)));
    Ok(())
}

/// Starts the calls, which end when the set is dropped.
async fn start_waits(server: &Server, keys: &[String]) -> JoinSet<()> {
    let mut calls = JoinSet::new();
    for (number, key) in keys.iter().enumerate() {
        let until = if number % 2 == 0 { "news" } else { "ask" };
        calls.spawn(wait_again(server.client.clone(), format!("{}/mcp", server.url), key.clone(), until));
    }
    tokio::time::sleep(SETTLE_TIME).await;
    calls
}

async fn wait_again(client: Client, url: String, key: String, until: &'static str) {
    let params = json!({"name": "wait", "arguments": {"until": until}});
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    loop {
        let request = client.post(&url).bearer_auth(&key).json(&message);
        if request.header("Accept", "application/json").send().await.is_err() {
            return;
        }
    }
}
