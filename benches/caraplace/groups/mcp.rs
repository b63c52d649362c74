//! Placements by a hundred concurrent MCP sessions and by a hundred HTTP agents.

use anyhow::{Result, ensure};

use crate::RunOptions;
use crate::load::{LoadRequest, PostRequest, run_load};
use crate::samples::Samples;
use crate::server::Server;
use crate::table::{Row, Table, Threshold, format_number};

const CONNECTIONS: usize = 100;

/// Measures how much longer a placement takes through MCP.
pub async fn run(options: RunOptions, table: &mut Table) -> Result<()> {
    let server = Server::start(&[]).await?;
    let keys = server.register(2 * CONNECTIONS).await?;
    let (sessions, agents) = keys.split_at(CONNECTIONS);
    let (mut ratio, mut mcp_p99, mut http_p99) = (Samples::default(), Samples::default(), Samples::default());
    let mut mcp_rates = Samples::default();
    for _ in 0..options.rounds {
        let digest = server.digest().await?;
        let mcp_requests = posts(sessions, |pixels| tool_call_body(&pixels, &digest));
        let http_requests =
            posts(agents, |pixels| format!("{{\"pixels\":{pixels},\"chat_digest\":\"{digest}\"}}"));
        let load = |path: &str, posts| {
            let (url, duration) = (format!("{}{path}", server.url), options.duration);
            async move {
                run_load(&LoadRequest { url, connections: CONNECTIONS, duration, headers: &[], posts }).await
            }
        };
        let head_before = server.head().await?;
        let (mcp_result, http_result) =
            tokio::try_join!(load("/mcp", &mcp_requests[..]), load("/api/pixels", &http_requests[..]))?;
        let placed_count = (server.head().await? - head_before) as f64;
        let answered_count = (mcp_result.rate + http_result.rate) * options.duration.as_secs_f64();
        // MCP reports a tool's refusal in a successful HTTP response.
        ensure!(
            placed_count >= 0.98 * answered_count,
            "{placed_count} placements for {answered_count} responses"
        );
        ratio.add(mcp_result.p99 / http_result.p99);
        mcp_p99.add(mcp_result.p99);
        http_p99.add(http_result.p99);
        mcp_rates.add(mcp_result.rate);
    }
    let (mcp, http, rate) = (
        format_number(mcp_p99.median()),
        format_number(http_p99.median()),
        format_number(mcp_rates.median()),
    );
    table.add(Row {
        name: format!(
            "place_pixels by {CONNECTIONS} MCP sessions and {CONNECTIONS} HTTP agents, 99th percentile"
        ),
        unit: "× HTTP".into(),
        samples: ratio,
        baseline: None,
        threshold: Threshold::AtMost(2.0),
        notes: format!("MCP {mcp} ms, HTTP {http} ms; {rate}/s through MCP"),
    });
    Ok(())
}

/// Returns many thousand requests with one pixel each.
fn posts(keys: &[String], body: impl Fn(String) -> String) -> Vec<PostRequest> {
    let post = |number: usize| {
        let (x, y, color) = (number * 31 % 128, number * 17 / 128 % 128, number % 16);
        let pixels = format!("[{{\"x\":{x},\"y\":{y},\"color\":{color}}}]");
        PostRequest { key: keys[number % keys.len()].clone(), body: body(pixels) }
    };
    (0..10_007).map(post).collect()
}

fn tool_call_body(pixels: &str, digest: &str) -> String {
    format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{{\"name\":\"place_pixels\",\
         \"arguments\":{{\"pixels\":{pixels},\"chat_digest\":\"{digest}\"}}}}}}"
    )
}
