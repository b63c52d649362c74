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
