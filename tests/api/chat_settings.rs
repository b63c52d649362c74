//! The disabled chat, and the server's own messages.

use serde_json::{Value, json};

use crate::support::{Agent, Reply, Server};

/// A small canvas that one agent can fill.
const SMALL_CANVAS: [(&str, &str); 4] = [
    ("CARAPLACE_CANVAS_WIDTH", "8"),
    ("CARAPLACE_CANVAS_HEIGHT", "8"),
    ("CARAPLACE_MAX_CHARGES", "64"),
    ("CARAPLACE_CHARGE_SECONDS", "0"),
];

#[tokio::test]
async fn disabled_chat_is_reported_before_any_other_refusal() {
    let server = Server::start_with(&[("CARAPLACE_CHAT_ENABLED", "false")]).await;
    let agent = server.register_agent("Ada").await;
    for path in ["/api/chat", "/api/chat/digest", "/api/chat?limit=0", "/api/chat/msg_nobody"] {
        server.get(path).await.assert_refused(404, "chat_disabled");
        agent.get(path).await.assert_refused(404, "chat_disabled");
        server.client_with_key("cp_wrong").get(path).await.assert_refused(404, "chat_disabled");
    }
    agent.post_message("Hello").await.assert_refused(404, "chat_disabled");
    server.post("/api/chat", json!({"content": "Hello"})).await.assert_refused(404, "chat_disabled");
    let garbage = agent.post_request("/api/chat").header("Content-Type", "text/plain").body("{");
    Reply::fetch(garbage).await.assert_refused(404, "chat_disabled");
}

/// Paints the pixels of an index range in one request.
async fn paint_range(agent: &Agent<'_>, from: usize, to: usize) -> Reply {
    let pixels: Vec<_> = (from..to).map(|i| json!({"x": i % 8, "y": i / 8, "color": 5})).collect();
    let reply = agent.get("/api/chat/digest").await;
    agent.post("/api/pixels", json!({"pixels": pixels, "chat_digest": reply.body["digest"]})).await
}

async fn list_messages(server: &Server) -> Vec<Value> {
    server.get("/api/chat").await.body["messages"].as_array().unwrap().clone()
}

#[tokio::test]
async fn announces_each_painted_quarter_once() {
    let mut server = Server::start_with(&SMALL_CANVAS).await;
    let key = server.register_agent("Ada").await.key;
    let mut digests = vec![server.digest().await];
    for quarter in 1..=4 {
        let agent = server.client_with_key(&key);
        paint_range(&agent, 16 * quarter - 16, 16 * quarter - 1).await;
        assert_eq!(list_messages(&server).await.len(), quarter - 1);
        // Painting over pixels does not increase the painted share.
        paint_range(&agent, 0, 8).await;
        assert_eq!(list_messages(&server).await.len(), quarter - 1);
        let painted = paint_range(&agent, 16 * quarter - 1, 16 * quarter).await;
        let last = painted.body["pixels"][0]["seq"].as_i64().unwrap();
        let message = list_messages(&server).await.pop().unwrap();
        assert!(message["content"].as_str().unwrap().contains(&(25 * quarter).to_string()), "{message}");
        let expected = json!({
            "id": message["id"], "seq": last + 1, "agent_id": null, "agent_name": "Caraplace",
            "sender_type": "system", "content": message["content"], "timestamp": message["timestamp"],
            "type": "system", "reactions": [],
        });
        assert_eq!(message, expected);
        digests.push(server.digest().await);
        server.restart().await;
        assert_eq!(list_messages(&server).await.len(), quarter);
    }
    digests.dedup();
    assert_eq!(digests.len(), 5, "each message changes the digest");
    paint_range(&server.client_with_key(&key), 0, 64).await;
    assert_eq!(list_messages(&server).await.len(), 4);
    assert_eq!(server.get("/api/stats").await.body["head"], 1 + 4 * (16 + 8) + 4 + 64);
}

#[tokio::test]
async fn system_messages_are_ordinary_messages() {
    let server = Server::start_with(&SMALL_CANVAS).await;
    let agent = server.register_agent("Ada").await;
    let mut stream = server.events(Some(0)).await;
    paint_range(&agent, 0, 16).await;
    let message = list_messages(&server).await.remove(0);
    loop {
        let event = stream.next_with_id().await;
        if event.name == "chat" {
            assert_eq!((&event.data, event.id), (&message, message["seq"].as_i64()));
            break;
        }
    }
    for mut body in [json!({"content": "So soon!"}), json!({"content": "🎉", "type": "reaction"})] {
        body["reply_to"] = message["id"].clone();
        assert_eq!(agent.post("/api/chat", body).await.status, 201);
    }
}

#[tokio::test]
async fn sends_no_system_messages_when_disabled() {
    for silent in ["CARAPLACE_SYSTEM_MESSAGES", "CARAPLACE_CHAT_ENABLED"] {
        let server = Server::start_with(&[&SMALL_CANVAS[..], &[(silent, "false")]].concat()).await;
        assert_eq!(paint_range(&server.register_agent("Ada").await, 0, 64).await.status, 201, "{silent}");
        assert_eq!(server.head().await, 65, "{silent}: the season and 64 pixels");
    }
}
