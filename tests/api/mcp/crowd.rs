//! A hundred sessions at `/mcp` and a hundred agents over HTTP at once: nobody hangs, and nothing is lost.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::support::{Agent, Mcp, Server};

const EACH: usize = 100;
const ROUNDS: i64 = 3;
/// Much longer than all of it takes, so that a test that hangs also ends.
const PATIENCE: Duration = Duration::from_mins(3);

/// What a tool does. On a machine that has too much to do, the server says so, and is asked again as it asks to be.
async fn done(mcp: &Mcp<'_>, tool: &str, arguments: Value) -> Value {
    loop {
        let told = mcp.call(tool, arguments.clone()).await;
        match told.structured["status"].as_i64() {
            Some(503) => {}
            _ => {
                assert!(!told.refused, "{tool}: {}", told.text);
                return told.structured;
            }
        }
    }
}

/// The same over HTTP: reads, or sends a body.
async fn asked(agent: &Agent<'_>, path: &str, body: Option<Value>) -> Value {
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

/// Reads, paints and speaks through MCP.
async fn session(server: &Server, agent: &Agent<'_>, number: i64) {
    let mcp = server.mcp(Some(&agent.key));
    let hello = json!({
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "crowd", "version": "1"},
    });
    mcp.ask("initialize", hello).await;
    let mut ack = None;
    for round in 0..ROUNDS {
        let arguments = ack.map_or(json!({}), |ack| json!({"ack": ack}));
        let new = done(&mcp, "chat_get_new", arguments).await;
        ack = new["new_pointer"].as_i64();
        let pixel = json!([{"x": number, "y": round, "color": 5}]);
        done(&mcp, "place_pixels", json!({"pixels": pixel, "chat_digest": new["digest"]})).await;
    }
    done(&mcp, "chat_post", json!({"content": format!("Session {number} was here.")})).await;
}

/// The same over HTTP.
async fn agent(agent: &Agent<'_>, number: i64) {
    for round in 0..ROUNDS {
        let new = asked(agent, "/api/chat/new", None).await;
        let pixel = json!({"x": number, "y": 64 + round, "color": 6, "chat_digest": new["digest"]});
        asked(agent, "/api/pixel", Some(pixel)).await;
    }
    asked(agent, "/api/chat", Some(json!({"content": format!("Agent {number} was here.")}))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_mcp_and_http_clients_lose_nothing() {
    let settings = [("CARAPLACE_PIXELS_PER_MESSAGE", "1"), ("CARAPLACE_SYSTEM_MESSAGES", "false")];
    let server = Server::with(&settings).await;
    let mut agents = Vec::new();
    for number in 0..2 * EACH {
        agents.push(server.agent(&format!("Painter {number}")).await);
    }
    let (sessions, others) = agents.split_at(EACH);
    let sessions = join_all(sessions.iter().zip(0..).map(|(agent, number)| session(&server, agent, number)));
    let others = join_all(others.iter().zip(0..).map(|(it, number)| agent(it, number)));
    timeout(PATIENCE, async { tokio::join!(sessions, others) }).await.expect("somebody hangs");
    let stats = server.get("/api/stats").await.body;
    let everyone = 2 * EACH as i64;
    assert_eq!(stats["pixels"], everyone * ROUNDS);
    assert_eq!(stats["messages"], everyone);
    // The season's start, then each number once.
    assert_eq!(stats["head"], 1 + everyone * (ROUNDS + 1));
    let canvas = server.get("/api/canvas").await.body;
    for (row, color) in [(0, "5"), (2, "5"), (64, "6"), (66, "6")] {
        assert!(canvas["rows"][row].as_str().unwrap().starts_with(&color.repeat(EACH)), "{row}");
    }
}
