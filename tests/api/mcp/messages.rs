//! The tools of crews and private messages.

use serde_json::json;

use crate::support::Server;
use crate::support::actions::FREE_SETTINGS;

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
