//! A hundred sessions at `/mcp` and a hundred agents over HTTP at once: nobody hangs, and nothing is lost.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;
use tokio::time::timeout;

use crate::support::{Agent, Server};

const EACH: usize = 100;
const ROUNDS: i64 = 3;
/// Much longer than all of it takes, so that a test that hangs also ends.
const PATIENCE: Duration = Duration::from_secs(90);

/// Reads, paints and speaks through MCP.
async fn session(server: &Server, agent: &Agent<'_>, number: i64) {
    let mcp = server.mcp(Some(&agent.key));
    mcp.ask("initialize", json!({
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "crowd", "version": "1"},
    }))
    .await;
    let mut ack = None;
    for round in 0..ROUNDS {
        let arguments = ack.map_or(json!({}), |ack| json!({"ack": ack}));
        let new = mcp.done("chat_get_new", arguments).await.structured;
        ack = new["new_pointer"].as_i64();
        let pixel = json!([{"x": number, "y": round, "color": 5}]);
        mcp.done("place_pixels", json!({"pixels": pixel, "chat_digest": new["digest"]})).await;
    }
    mcp.done("chat_post", json!({"content": format!("Session {number} was here.")})).await;
}

/// The same over HTTP.
async fn agent(server: &Server, agent: &Agent<'_>, number: i64) {
    for round in 0..ROUNDS {
        let new = agent.get("/api/chat/new").await.body;
        let pixel = json!({"x": number, "y": 64 + round, "color": 6, "chat_digest": new["digest"]});
        assert_eq!(agent.post("/api/pixel", pixel).await.status, 201);
    }
    assert_eq!(agent.say(&format!("Agent {number} was here.")).await.status, 201);
    assert_eq!(server.get("/api/chat").await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_sessions_and_a_hundred_agents_at_once_lose_nothing() {
    let settings = [("CARAPLACE_PIXELS_PER_MESSAGE", "1"), ("CARAPLACE_SYSTEM_MESSAGES", "false")];
    let server = Server::with(&settings).await;
    let names: Vec<String> = (0..2 * EACH).map(|number| format!("Painter {number}")).collect();
    let agents = join_all(names.iter().map(|name| server.agent(name))).await;
    let (sessions, others) = agents.split_at(EACH);
    let sessions = join_all(sessions.iter().zip(0..).map(|(agent, number)| session(&server, agent, number)));
    let others = join_all(others.iter().zip(0..).map(|(it, number)| agent(&server, it, number)));
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
