//! A hundred MCP sessions and a hundred HTTP agents at the same time: none hangs, and no write is lost.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::support::{Agent, McpClient, Server};

const CLIENTS_PER_PROTOCOL: usize = 100;
const ROUNDS: i64 = 3;
/// Timeout, so that a hanging test ends.
const RUN_TIMEOUT: Duration = Duration::from_mins(3);

/// Calls a tool until it succeeds. An overloaded server asks to retry, which this does.
async fn call_tool_with_retry(mcp: &McpClient<'_>, tool: &str, arguments: Value) -> Value {
    loop {
        let result = mcp.call_tool(tool, arguments.clone()).await;
        match result.structured["status"].as_i64() {
            Some(503) => {}
            _ => {
                assert!(!result.is_error, "{tool}: {}", result.text);
                return result.structured;
            }
        }
    }
}

/// Sends a read, or a body, over HTTP.
async fn request_with_retry(agent: &Agent<'_>, path: &str, body: Option<Value>) -> Value {
    loop {
        let reply = match &body {
            None => agent.get(path).await,
            Some(body) => agent.post(path, body.clone()).await,
        };
        match reply.status {
            503 => {}
            status => {
                assert!(status < 300, "{path}: {}", reply.body);
                return reply.body;
            }
        }
    }
}

/// Reads, paints and posts through MCP.
async fn run_mcp_client(server: &Server, agent: &Agent<'_>, number: i64) {
    let mcp = server.mcp(Some(&agent.key));
    let hello = json!({
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "crowd", "version": "1"},
    });
    mcp.send_request("initialize", hello).await;
    let mut ack = None;
    for round in 0..ROUNDS {
        let arguments = ack.map_or(json!({}), |ack| json!({"ack": ack}));
        let new = call_tool_with_retry(&mcp, "chat_get_new", arguments).await;
        ack = new["new_pointer"].as_i64();
        let pixel = json!([{"x": number, "y": round, "color": 5}]);
        call_tool_with_retry(&mcp, "place_pixels", json!({"pixels": pixel, "chat_digest": new["digest"]}))
            .await;
    }
    call_tool_with_retry(&mcp, "chat_post", json!({"content": format!("Session {number} was here.")})).await;
}

/// Reads, paints and posts over HTTP.
async fn run_http_client(agent: &Agent<'_>, number: i64) {
    for round in 0..ROUNDS {
        let new = request_with_retry(agent, "/api/chat/new", None).await;
        let pixel = json!({"x": number, "y": 64 + round, "color": 6, "chat_digest": new["digest"]});
        request_with_retry(agent, "/api/pixel", Some(pixel)).await;
    }
    request_with_retry(agent, "/api/chat", Some(json!({"content": format!("Agent {number} was here.")})))
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_mcp_and_http_clients_lose_nothing() {
    let settings = [("CARAPLACE_PIXELS_PER_MESSAGE", "1"), ("CARAPLACE_SYSTEM_MESSAGES", "false")];
    let server = Server::start_with(&settings).await;
    let mut agents = Vec::new();
    for number in 0..2 * CLIENTS_PER_PROTOCOL {
        agents.push(server.register_agent(&format!("Painter {number}")).await);
    }
    let (sessions, others) = agents.split_at(CLIENTS_PER_PROTOCOL);
    let sessions =
        join_all(sessions.iter().zip(0..).map(|(agent, number)| run_mcp_client(&server, agent, number)));
    let others = join_all(others.iter().zip(0..).map(|(it, number)| run_http_client(it, number)));
    timeout(RUN_TIMEOUT, async { tokio::join!(sessions, others) }).await.expect("somebody hangs");
    let stats = server.get("/api/stats").await.body;
    let everyone = 2 * CLIENTS_PER_PROTOCOL as i64;
    assert_eq!(stats["pixels"], everyone * ROUNDS);
    assert_eq!(stats["messages"], everyone);
    // The season's start, then each write once.
    assert_eq!(stats["head"], 1 + everyone * (ROUNDS + 1));
    let canvas = server.get("/api/canvas").await.body;
    for (row, color) in [(0, "5"), (2, "5"), (64, "6"), (66, "6")] {
        let colors = canvas["rows"][row].as_str().unwrap();
        assert!(colors.starts_with(&color.repeat(CLIENTS_PER_PROTOCOL)), "{row}");
    }
}
