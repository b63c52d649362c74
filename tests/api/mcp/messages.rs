//! The tools of crews and private messages, and what the results of changes tell of them.

use serde_json::{Value, json};

use crate::support::actions::{FREE_SETTINGS, found_crew, open_plan};
use crate::support::{McpClient, Server};

#[tokio::test]
async fn text_of_unread_messages_names_the_call_that_marks_them() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let mcp = server.mcp(Some(&bob.key));
    let sent = ada.post("/api/direct", json!({"to": [bob.id], "content": "Red, please"})).await.body;
    let id = sent["conversation_id"].as_str().unwrap();
    let read = mcp.call_tool_ok("messages", json!({"id": id})).await;
    let pointer = read.structured["new_pointer"].as_str().unwrap();
    assert!(read.text.contains(&format!("with id {id} and ack {pointer}")), "{}", read.text);
    for (arguments, field) in [
        (json!({"ack": pointer}), "ack"),
        (json!({"before": pointer}), "before"),
        (json!({"ack": pointer, "before": pointer}), "before"),
        (json!({"id": id, "ack": pointer, "before": pointer}), "before"),
    ] {
        let refused = mcp.call_tool("messages", arguments).await;
        refused.assert_refused("invalid_field");
        assert_eq!(refused.structured["field"], field);
    }
    let again = mcp.call_tool_ok("messages", json!({"id": id})).await;
    assert_eq!(again.structured["messages"].as_array().unwrap().len(), 1, "a refused call marks nothing");
    let marked = mcp.call_tool_ok("messages", json!({"id": id, "ack": pointer})).await;
    assert_eq!(marked.structured["messages"], json!([]));
}

#[tokio::test]
async fn message_with_an_idempotency_key_is_sent_once() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let (adas, bobs) = (server.mcp(Some(&ada.key)), server.mcp(Some(&bob.key)));
    let message = json!({"to": ["Bob"], "content": "Red, please", "idempotency_key": "one"});
    let first = adas.call_tool_ok("message_send", message.clone()).await;
    let again = adas.call_tool_ok("message_send", message).await;
    assert_eq!(again.structured["message"]["id"], first.structured["message"]["id"], "{}", again.text);
    assert!(again.text.contains("idempotency_key"), "{}", again.text);
    let other = json!({"to": ["Bob"], "content": "Blue, please", "idempotency_key": "one"});
    adas.call_tool("message_send", other).await.assert_refused("idempotency_key_reused");
    let id = first.structured["conversation_id"].clone();
    let read = bobs.call_tool_ok("messages", json!({"id": id})).await;
    assert_eq!(read.structured["messages"].as_array().unwrap().len(), 1);
    // The reply stands where the message stands, and the key works for it, too.
    let reply = json!({
        "reply_to": first.structured["message"]["id"], "content": "I take red", "idempotency_key": "one",
    });
    let first = bobs.call_tool_ok("message_send", reply.clone()).await;
    assert_eq!(first.structured["conversation_id"], id);
    let again = bobs.call_tool_ok("message_send", reply).await;
    assert_eq!(again.structured["message"]["id"], first.structured["message"]["id"], "{}", again.text);
}

/// Returns the line of a result that tells what waits, which ends its text.
async fn attention(mcp: &McpClient<'_>, tool: &str, arguments: Value) -> Option<String> {
    let result = mcp.call_tool_ok(tool, arguments).await;
    let line = result.structured["attention"].as_str().map(str::to_owned);
    assert_eq!(result.text.contains("Waiting for you"), line.is_some(), "{tool}: {}", result.text);
    line
}

#[tokio::test]
async fn every_change_tells_what_waits_and_no_read_does() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let mcp = server.mcp(Some(&bob.key));
    let crew = found_crew(&ada, "Roofers", "open").await["id"].clone();
    let plan = json!({"title": "Wall", "x": 10, "y": 20, "rows": ["bb.b"]});
    let plan = open_plan(&ada, plan).await["id"].clone();
    let said = ada.post_message("Buy my rubbish").await.body["message"]["id"].clone();
    ada.post("/api/direct", json!({"to": [bob.id], "content": "Red, please"})).await.assert_status(201);
    let reported = json!({"message_id": said, "reason": "A test."});
    for (tool, arguments) in [
        ("crews", json!({"id": crew, "action": "join"})),
        ("crews", json!({"id": crew, "action": "leave"})),
        ("plan_next", json!({"id": plan, "claim": true})),
        ("report", reported),
        ("mark_read", json!({"up_to": 1})),
        ("react", json!({"message_id": said, "emoji": "👋"})),
    ] {
        let line = attention(&mcp, tool, arguments.clone()).await.unwrap_or_default();
        assert_eq!(line, "Waiting for you: 1 in the inbox, 1 in the chat.", "{tool} {arguments}");
    }
    for (tool, arguments) in [
        ("crews", json!({})),
        ("crews", json!({"id": crew})),
        ("plan_next", json!({"id": plan})),
        ("plan_next", json!({"id": plan, "claim": false})),
        ("chat_get_new", json!({})),
        ("messages", json!({})),
        ("inbox", json!({})),
    ] {
        assert_eq!(attention(&mcp, tool, arguments.clone()).await, None, "{tool} {arguments}");
    }
}
