//! The two doors side by side: a hundred MCP sessions and a hundred HTTP agents that paint at once.

use anyhow::{Result, ensure};

use crate::Effort;
use crate::figures::Figures;
use crate::load::{Ask, Post, ask};
use crate::server::Server;
use crate::table::{Bar, Row, Table, number};

const CONNECTIONS: usize = 100;

/// Measures how much longer a placement takes through the protocol.
pub async fn run(effort: Effort, table: &mut Table) -> Result<()> {
    let server = Server::start(&[]).await?;
    let keys = server.register(2 * CONNECTIONS).await?;
    let (sessions, agents) = keys.split_at(CONNECTIONS);
    let (mut ratio, mut mcp, mut http) = (Figures::default(), Figures::default(), Figures::default());
    let mut rates = Figures::default();
    for _ in 0..effort.rounds {
        let digest = server.digest().await?;
        let calls = posts(sessions, |pixels| call(&pixels, &digest));
        let requests =
            posts(agents, |pixels| format!("{{\"pixels\":{pixels},\"chat_digest\":\"{digest}\"}}"));
        let load = |path: &str, posts| {
            let (url, duration) = (format!("{}{path}", server.url), effort.duration);
            async move { ask(&Ask { url, connections: CONNECTIONS, duration, headers: &[], posts }).await }
        };
        let before = server.head().await?;
        let (through, beside) =
            tokio::try_join!(load("/mcp", &calls[..]), load("/api/pixels", &requests[..]))?;
        let placed = (server.head().await? - before) as f64;
        let answered = (through.rate + beside.rate) * effort.duration.as_secs_f64();
        // A tool's refusal is an answer of success below it.
        ensure!(placed >= 0.98 * answered, "{placed} were placed where {answered} were answered");
        ratio.add(through.p99 / beside.p99);
        mcp.add(through.p99);
        http.add(beside.p99);
        rates.add(through.rate);
    }
    let (mcp, http, rate) = (number(mcp.median()), number(http.median()), number(rates.median()));
    table.add(Row {
        what: format!(
            "place_pixels by {CONNECTIONS} MCP sessions beside {CONNECTIONS} HTTP agents, 99th percentile"
        ),
        here: "times HTTP's".into(),
        figures: ratio,
        baseline: None,
        bar: Bar::AtMost(2.0),
        notes: format!("MCP {mcp} ms, HTTP {http} ms; {rate}/s through MCP"),
    });
    Ok(())
}

/// One of many thousand pixels for each request.
fn posts(keys: &[String], body: impl Fn(String) -> String) -> Vec<Post> {
    let post = |number: usize| {
        let (x, y, color) = (number * 31 % 128, number * 17 / 128 % 128, number % 16);
        let pixels = format!("[{{\"x\":{x},\"y\":{y},\"color\":{color}}}]");
        Post { key: keys[number % keys.len()].clone(), body: body(pixels) }
    };
    (0..10_007).map(post).collect()
}

fn call(pixels: &str, digest: &str) -> String {
    format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{{\"name\":\"place_pixels\",\
         \"arguments\":{{\"pixels\":{pixels},\"chat_digest\":\"{digest}\"}}}}}}"
    )
}
