//! Placements while a hundred tools wait, compared with placements while none does.

use std::time::Duration;

use anyhow::Result;
use reqwest::Client;
use serde_json::json;
use tokio::task::JoinSet;

use crate::RunOptions;
use crate::load::{LoadRequest, LoadResult, PostRequest, run_load};
use crate::samples::Samples;
use crate::server::Server;
use crate::table::{Row, Table, Threshold, format_number};

const PAINTERS: usize = 100;
const CONNECTIONS: usize = 64;
const WAITING_TOOLS: usize = 100;
/// The time in which all tools begin to wait.
const SETTLE_TIME: Duration = Duration::from_millis(500);

/// Measures both in turn, on the same server.
pub async fn run(options: RunOptions, table: &mut Table) -> Result<()> {
    let server = Server::start(&[("CARAPLACE_SYSTEM_MESSAGES", "false")]).await?;
    let keys = server.register(PAINTERS + WAITING_TOOLS).await?;
    let (painters, waiting) = keys.split_at(PAINTERS);
    let (mut with, mut without) = (WaitSamples::default(), WaitSamples::default());
    for _ in 0..options.rounds {
        without.measure(&server, painters, options).await?;
        let calls = start_waits(&server, waiting).await;
        with.measure(&server, painters, options).await?;
        drop(calls);
    }
    table.add(Row {
        name: format!("placements while {WAITING_TOOLS} tools wait, {CONNECTIONS} connections"),
        unit: "/s".into(),
        samples: with.rate,
        baseline: Some(("no tool waits".to_owned(), without.rate)),
        threshold: Threshold::Ratio(0.95),
        notes: format!(
            "99th percentile {} ms, without {} ms; CPU {} µs per placement, without {} µs",
            format_number(with.p99.median()),
            format_number(without.p99.median()),
            format_number(with.cpu_micros.median()),
            format_number(without.cpu_micros.median()),
        ),
    });
    Ok(())
}

#[derive(Default)]
struct WaitSamples {
    rate: Samples,
    p99: Samples,
    cpu_micros: Samples,
}

impl WaitSamples {
    async fn measure(&mut self, server: &Server, painters: &[String], options: RunOptions) -> Result<()> {
        let digest = server.digest().await?;
        let posts = posts(painters, &digest);
        let (url, cpu_before) = (format!("{}/api/pixel", server.url), server.cpu_seconds().0);
        let (connections, duration) = (CONNECTIONS, options.duration);
        let load = LoadRequest { url, connections, duration, headers: &[], posts: &posts };
        let LoadResult { rate, p99, .. } = run_load(&load).await?;
        let cpu_seconds = server.cpu_seconds().0 - cpu_before;
        self.rate.add(rate);
        self.p99.add(p99);
        self.cpu_micros.add(cpu_seconds * 1e6 / (rate * duration.as_secs_f64()));
        Ok(())
    }
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

/// Returns many thousand requests with one pixel each.
fn posts(keys: &[String], digest: &str) -> Vec<PostRequest> {
    let post = |number: usize| {
        let (x, y, color) = (number * 31 % 128, number * 17 / 128 % 128, number % 16);
        let body = format!("{{\"x\":{x},\"y\":{y},\"color\":{color},\"chat_digest\":\"{digest}\"}}");
        PostRequest { key: keys[number % keys.len()].clone(), body }
    };
    (0..10_007).map(post).collect()
}
